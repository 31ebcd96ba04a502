/** Rows that bench:hostile does not measure. The structure of the code keeps each bound; the named tests check it. */
export const STRUCTURAL_ROWS = [
  {
    id: 12,
    party: 'the database becomes read-only (failover in place)',
    before: '500, /readyz 200',
    bound: '503 with Retry-After, recovery by itself',
    test: 'test/faults/read-only.test.ts',
  },
  {
    id: 13,
    party: 'WEBHOOK_TIMEOUT is raised while deliveries wait',
    before: 'sent twice',
    bound: 'sent once',
    test: 'test/hostile/raised-timeout.test.ts',
  },
  {
    id: 14,
    party: 'the api dies after the commit of a POST with Idempotency-Key',
    before: 'the repeat creates a second webhook',
    bound: 'the repeat gets the answer',
    test: 'test/faults/crash-publish.test.ts',
  },
  {
    id: 15,
    party: 'a slow 410 of the old URL arrives after the webhook got another URL',
    before: 'the webhook is deactivated',
    bound: 'only if its URL is still the same',
    test: 'test/db/db/delivery/open-deliveries.test.ts',
  },
  {
    id: 21,
    party: 'our own file table is full, or our resolver is dead',
    before: 'customers lose attempts',
    bound: 'no attempt is lost',
    test: 'test/hostile/few-files.test.ts, test/hostile/dead-resolver.test.ts',
  },
  {
    id: 23,
    party: 'a delivery’s row stays locked for more than 10 s',
    before: 'the worker stops sending for everybody',
    bound: 'only this delivery is delayed',
    test: 'test/db/attempts/recorder.test.ts',
  },
]
