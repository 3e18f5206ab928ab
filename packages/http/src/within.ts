/** The result of `work`. @throws Error if it takes longer */
export const within = async <T>(work: Promise<T>, timeoutMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const end = (): void => reject(new Error(`no answer within ${timeoutMs} ms`));
    // After a delay of the event loop, timers run before sockets are read. The two extra turns give a response that has
    // already arrived the chance to win.
    timer = setTimeout(() => setImmediate(() => setImmediate(end)), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};
