import { ApiError } from '@crm/domain';
import { expect, it } from '@jest/globals';
import request from 'supertest';
import { createTestGateway } from './support.js';

const away = (): ApiError => new ApiError('unavailable', { cause: new Error('connect ECONNREFUSED') });

it('an outage during which some requests succeed is logged once', async () => {
  const { app, key, lines, behaviour } = createTestGateway({ isOutage: (error) => error instanceof ApiError });
  const call = (status: number) => request(app).get('/v1/things').set('x-api-key', key).expect(status);
  for (let round = 0; round < 3; round += 1) {
    behaviour.run = () => Promise.reject(away());
    await call(503);
    delete behaviour.run;
    await call(200);
    await request(app).get('/readyz').expect(200);
  }
  expect(lines.filter((line) => line.includes('the database'))).toHaveLength(1);
});

it('requests refused by the gateway itself, as for overload, have no error in their log lines', async () => {
  const { app, key, lines } = createTestGateway({ maxInFlight: 0 });
  await request(app).get('/v1/things').set('x-api-key', key).expect(503);
  const [line, ...others] = lines.map((text) => JSON.parse(text) as object);
  expect(others).toEqual([]);
  expect(line).toMatchObject({ level: 30, status: 503 });
  expect(line).not.toHaveProperty('err');
});
