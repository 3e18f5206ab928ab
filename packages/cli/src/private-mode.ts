/** The mode of files that may have personal data or secrets: only their owner can read and write them. */
export const privateMode = 0o600;
