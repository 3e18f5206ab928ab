// PostGraphile 5 over the tables of the CRM, set up for Node's server as in its documentation.
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({ connectionString: process.env.DATABASE_URL, schemas: ['public'], poolConfig: { max: 10 } }),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
  disablePlugins: ['NodePlugin'],
};

const serv = postgraphile(preset).createServ(grafserv);
const server = createServer();
await serv.addTo(server);
server.listen(Number(process.env.PORT), '127.0.0.1');
