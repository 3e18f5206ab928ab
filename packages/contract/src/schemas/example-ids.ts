/** The ids of all examples, so that the examples of the whole document fit together. */
export const exampleIds = {
  pipeline: '0197a3c4-5b1e-7c3a-9f00-2d6f1c0a7b11',
  stage: '0197a3c4-5b20-7f0c-b6a1-6a1f0e9d8c72',
  account: '0197a3c4-6c9a-7d44-9c3b-0b5e8f7a6d13',
  contact: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4',
  secondContact: '0197a3c4-6cd7-7b13-a2f6-7e8d9c0b1a25',
  opportunity: '0197a3c4-6d02-7e51-8a10-94b1d7f3c2e0',
  second: '0197a3c4-6ca4-7e19-b7d2-4c6a8e0f1b37',
  note: '0197a3c4-7a31-7c85-b0d4-1f2e3d4c5b66',
  event: '0197a3c4-8b40-7d96-a1e5-2f3e4d5c6b77',
  organization: '0197a3c4-4a00-7a1c-9e22-5b6c7d8e9f10',
  apiKey: '0197a3c4-4a10-7b2b-8f11-1c2d3e4f5a66',
  member: '0197a3c4-5b31-7d20-9a4e-8c7b6a5d4e33',
  webhook: '0197a3c4-9d51-7f42-8c6a-0e9d8c7b6a55',
  field: '0197a3c4-5b42-7e31-8b5f-9d8c7b6a5f44',
} as const;

/** The `log_id` of all examples. */
export const exampleLogId = '66b2f6a1c3d94e5a-16384-16923-1';
