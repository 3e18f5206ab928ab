/** The value of one sample of a Prometheus page, or 0 if it is missing. */
export const sampleOf = (page: string, name: string, labels: Readonly<Record<string, string>> = {}): number => {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = page
    .split('\n')
    .find(
      (each) => (each.startsWith(`${name}{`) || each.startsWith(`${name} `)) && wanted.every((w) => each.includes(w)),
    );
  return Number(line?.split(' ').at(-1) ?? 0);
};

/** Reads the metrics of a gateway. */
export const readMetrics = async (port: number): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  return response.text();
};
