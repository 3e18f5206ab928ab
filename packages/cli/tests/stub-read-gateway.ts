import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A read gateway with one pipeline, which returns one stage per page. */
export interface StubReadGateway {
  readonly url: string;
  readonly paths: readonly string[];
  close(): Promise<void>;
}

/** Starts it; `labels` are the stages, whose ids are `stage-<label>`. */
export const startStubReadGateway = async (
  pipeline: { readonly id: string; readonly name: string },
  labels: readonly string[],
): Promise<StubReadGateway> => {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://stub');
    paths.push(`${url.pathname}${url.search}`);
    const page = Number(url.searchParams.get('cursor') ?? '0');
    const isLast = page >= labels.length - 1;
    const data =
      url.pathname === '/v1/pipelines'
        ? {
            pipelines: [{ pipeline_id: pipeline.id, name: pipeline.name }],
            has_more: false,
            next_cursor: null,
            limit: 100,
          }
        : {
            stages: [{ stage_id: `stage-${labels[page]}`, label: labels[page] }],
            has_more: !isLast,
            next_cursor: isLast ? null : String(page + 1),
            limit: 1,
          };
    const isKnown = request.headers['x-api-key'] === 'crm_live_x';
    const isThere = ['/v1/pipelines', `/v1/pipelines/${pipeline.id}/stages`].includes(url.pathname);
    response.writeHead(!isKnown ? 401 : isThere ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isKnown ? { success: true, message: 'ok', data } : { success: false, message: 'Unauthorized' }),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
