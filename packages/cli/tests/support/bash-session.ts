import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

/** What a block of commands printed, and its exit code. */
export interface BashResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A user of the operating system. */
export interface BashUser {
  readonly uid: number;
  readonly gid: number;
}

/** One bash in which blocks of commands run after each other, as in a terminal: variables and functions stay. */
export class BashSession {
  readonly #child: ChildProcessWithoutNullStreams;
  #stdout = '';
  #stderr = '';

  /** @param user - who runs the commands; the user of this process when absent */
  constructor(directory: string, env: Readonly<Record<string, string>>, user: BashUser | null = null) {
    this.#child = spawn('bash', ['--norc', '-o', 'pipefail'], {
      ...user,
      cwd: directory,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    });
    this.#child.stdout.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString('utf8')));
    this.#child.stderr.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString('utf8')));
  }

  /** Runs a block to its end. @throws Error when the shell itself ended. */
  run(commands: string): Promise<BashResult> {
    this.#stdout = '';
    this.#stderr = '';
    // Errors end a block and not the session, since a group reports its own status; the mark says where its output ends.
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
      look();
    });
  }

  end(): void {
    this.#child.kill('SIGTERM');
  }
}
