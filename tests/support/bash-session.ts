import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

/** The output of a block of commands, and its exit code. */
export interface BashResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** One bash that runs blocks of commands in turn, as in a terminal: variables and functions are kept. */
export class BashSession {
  readonly #child: ChildProcessWithoutNullStreams;
  #stdout = '';
  #stderr = '';

  /** @param user - the user who runs the commands; default: the user of this process */
  constructor(
    directory: string,
    env: Readonly<Record<string, string>>,
    user: { readonly uid: number; readonly gid: number } | null = null,
  ) {
    this.#child = spawn('bash', ['--norc', '-o', 'pipefail'], {
      ...user,
      cwd: directory,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    });
    this.#child.stdout.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString('utf8')));
    this.#child.stderr.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString('utf8')));
  }

  /** Runs a block to its end. @throws Error if the shell itself ended. */
  run(commands: string): Promise<BashResult> {
    this.#stdout = '';
    this.#stderr = '';
    // An error ends the block but not the session, because a group reports its own status. The mark shows the end of
    // its output.
    this.#child.stdin.write(`set -e\n${commands}\nset +e\nprintf '\\n--done-- %s\\n' "$?"\n`);
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void =>
        reject(new Error(`bash ended (${code}): ${this.#stdout}${this.#stderr}`));
      const look = (): void => {
        const mark = /\n--done-- (\d+)\n$/.exec(this.#stdout);
        if (mark === null) return;
        this.#child.stdout.off('data', look);
        this.#child.off('close', ended);
        resolve({ stdout: this.#stdout.slice(0, mark.index), stderr: this.#stderr, exitCode: Number(mark[1]) });
      };
      this.#child.stdout.on('data', look);
      this.#child.once('close', ended);
      if (this.#child.exitCode !== null) ended(this.#child.exitCode);
      look();
    });
  }

  end(): void {
    this.#child.kill('SIGTERM');
  }
}
