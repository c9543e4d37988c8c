import Fastify from 'fastify';

/*
 * A program of its own: the HTTP framework with nothing behind it. It parses what it is sent and answers a text that the
 * benchmark tells it, over the channel of its parent, to make its answers as long as ours are.
 */
let answer = '{}';
process.on('message', (text) => {
  answer = String(text);
});
process.on('disconnect', () => process.exit());

const app = Fastify();
// As ours does: a GET may have a body.
app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
app.route({
  method: ['GET', 'POST'],
  url: '/v1/*',
  handler: (_, reply) => reply.type('application/json; charset=utf-8').send(answer),
});
process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }));
