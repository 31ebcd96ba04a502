import { Stack, Text, Title } from '@mantine/core'
import type { Attention, Notice } from '../common/api/wire.ts'
import { count, plural } from '../common/format/numbers.ts'
import { useOne, useParts } from '../common/session/queries.ts'
import { Facts } from '../common/ui/facts.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { NoticeRows } from '../notices/notice-rows.tsx'
import { AttemptMetrics } from '../webhooks/webhook-metrics.tsx'
import { keyConcerns, webhookConcerns } from './attention.ts'
import { ConcernList } from './concern-list.tsx'

const NOTICES_SHOWN = 5

/** How often it is read anew while somebody looks at it. */
const READ_EVERY_MS = 30_000

/** How the environment does, and what needs somebody. */
export default function Overview() {
  const attention = useOne<Attention>('/attention', { everyMs: READ_EVERY_MS })
  return (
    <>
      <PageTitle title="Overview" />
      <Stack gap="lg">
        <Loaded reading={attention}>{({ item }) => <NeedsAttention attention={item} />}</Loaded>
        <section aria-labelledby="attempts">
          <Title order={2} size="h3" id="attempts" mb="sm">
            Attempts of all webhooks
          </Title>
          <AttemptMetrics path="/activity" />
        </section>
        <LatestNotices />
      </Stack>
    </>
  )
}

function NeedsAttention({ attention }: { attention: Attention }) {
  const { webhooks, unwell, waiting, unwell_webhooks, expiring_keys } = attention
  const more = unwell - unwell_webhooks.length
  return (
    <>
      <Facts
        facts={[
          ['Webhooks', count(webhooks)],
          ['Failing or deactivated', count(unwell)],
          ['Deliveries waiting', count(waiting)],
          ['Keys that stop within 7 days', countOf(expiring_keys.length)],
        ]}
      />
      <section aria-labelledby="attention">
        <Title order={2} size="h3" id="attention" mb="sm">
          Needs attention
        </Title>
        <ConcernList concerns={[...webhookConcerns(unwell_webhooks), ...keyConcerns(expiring_keys)]} />
        {more > 0 && (
          <Text size="sm" mt="xs">
            And {plural(more, 'webhook')} more: the list of <TextLink href="/webhooks">webhooks</TextLink> has
            all of them.
          </Text>
        )}
      </section>
    </>
  )
}

/** The api names so many keys, and does not count further. */
const KEYS_NAMED = 100

const countOf = (keys: number): string => (keys < KEYS_NAMED ? count(keys) : `${count(keys)} or more`)

function LatestNotices() {
  const list = useParts<Notice>('/notices', { limit: NOTICES_SHOWN })
  return (
    <section aria-labelledby="notices">
      <Title order={2} size="h3" id="notices" mb="sm">
        Latest notices
      </Title>
      <Loaded reading={list}>
        {({ pages: [first] }) =>
          first === undefined || first.data.length === 0 ? (
            <Text>There is none.</Text>
          ) : (
            <>
              <NoticeRows notices={first.data} />
              <TextLink href="/notices">All notices</TextLink>
            </>
          )
        }
      </Loaded>
    </section>
  )
}
