import { describe, expect, test } from '@jest/globals';
import { isAlive, parsePostmaster } from './postmaster.js';
import { asServerUser, parseUser } from './server-user.js';

describe('postmaster.pid', () => {
  test('contains the process, the port and whether the server is ready', () => {
    const text = '123\n/data\n1700000000\n5433\n\n127.0.0.1\n  1048643 1\nready   \n';
    expect(parsePostmaster(text)).toEqual({ pid: 123, port: 5433, ready: true });
    expect(parsePostmaster(text.replace('ready', 'starting'))).toEqual({ pid: 123, port: 5433, ready: false });
    expect(parsePostmaster('123\n')).toMatchObject({ pid: 123, ready: false });
    for (const empty of ['', '\n', 'no number\n', '-5\n', '0\n']) expect(parsePostmaster(empty)).toBeNull();
    expect([isAlive(process.pid), isAlive(2 ** 30)]).toEqual([true, false]);
  });
});

describe('the user of the server', () => {
  const user = { uid: 101, gid: 104 };

  test('is never root, an absent user or a user whose name only starts with the given one', () => {
    const passwd = 'root:x:0:0:root:/root:/bin/bash\npostgres:x:101:104::/var/lib/postgresql:/bin/bash\n';
    expect(parseUser(passwd, 'postgres')).toEqual(user);
    for (const name of ['root', 'nobody', 'post']) expect(parseUser(passwd, name)).toBeNull();
  });

  test('needs no helper program by default', () => {
    const options = { searchCapability: false, parentDeathSignal: null };
    expect(asServerUser('/bin/x', ['-a'], { ...options, user: null })).toEqual({ file: '/bin/x', args: ['-a'] });
    expect(asServerUser('/bin/x', ['-a'], { ...options, user })).toEqual({ file: '/bin/x', args: ['-a'], ...user });
  });

  test('gives up root in the same step in which it asks for the capability', () => {
    const { args, uid } = asServerUser('/bin/x', ['-a'], { user, searchCapability: true, parentDeathSignal: null });
    expect(uid).toBeUndefined();
    expect(args).toEqual(expect.arrayContaining(['--reuid=101', '--regid=104', '--clear-groups']));
    expect(args.slice(-3)).toEqual(['--', '/bin/x', '-a']);
  });
});
