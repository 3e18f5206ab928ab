import { describe, expect, test } from '@jest/globals';

import { asServerUser, parseUser } from './server-user.js';

const passwd = 'root:x:0:0:root:/root:/bin/bash\npostgres:x:101:104::/var/lib/postgresql:/bin/bash\n';

describe('parseUser', () => {
  test('finds the ids of a user', () => {
    expect(parseUser(passwd, 'postgres')).toEqual({ uid: 101, gid: 104 });
  });

  test('never returns root, an absent user or a user whose name only starts with the given one', () => {
    expect(parseUser(passwd, 'root')).toBeNull();
    expect(parseUser(passwd, 'nobody')).toBeNull();
    expect(parseUser(passwd, 'post')).toBeNull();
  });
});

describe('asServerUser', () => {
  test('needs no helper program by default', () => {
    const options = { searchCapability: false, parentDeathSignal: null };
    expect(asServerUser('/bin/x', ['-a'], { ...options, user: null })).toEqual({ file: '/bin/x', args: ['-a'] });
    expect(asServerUser('/bin/x', ['-a'], { ...options, user: { uid: 1, gid: 2 } })).toEqual({
      file: '/bin/x',
      args: ['-a'],
      uid: 1,
      gid: 2,
    });
  });

  test('gives up root in the same step in which it asks for the capability', () => {
    const user = { uid: 1, gid: 2 };
    const { args, uid } = asServerUser('/bin/x', ['-a'], { user, searchCapability: true, parentDeathSignal: null });
    expect(uid).toBeUndefined();
    expect(args).toEqual(expect.arrayContaining(['--reuid=1', '--regid=2', '--clear-groups']));
    expect(args.slice(-3)).toEqual(['--', '/bin/x', '-a']);
  });
});
