import { Stack, Text, Title } from '@mantine/core'
import type { Key } from '../common/api/keys.js'
import type { Notice } from '../common/api/notices.js'
import type { PageOf } from '../common/api/paging.js'
import type { Webhook } from '../common/api/webhooks.js'
import { count } from '../common/format/numbers.js'
import { usePage, useParts } from '../common/session/queries.js'
import { Facts } from '../common/ui/facts.js'
import { Loaded } from '../common/ui/loaded.js'
import { useNow } from '../common/ui/now.js'
import { PageTitle } from '../common/ui/page-title.js'
import { TextLink } from '../common/ui/text-link.js'
import { NoticeRows } from '../notices/notice-rows.js'
import { AttemptMetrics } from '../webhooks/webhook-metrics.js'
import { keyConcerns, webhookConcerns } from './attention.js'
import { ConcernList } from './concern-list.js'

const NOTICES_SHOWN = 5

/** How the environment does, and what needs somebody. It looks at the newest hundred webhooks and keys. */
export default function Overview() {
  const now = useNow()
  const webhooks = usePage<PageOf<Webhook>>('/webhooks', { limit: 100 })
  const keys = useParts<Key>('/keys', { limit: 100 })
  const failing = webhookConcerns(webhooks.data?.data ?? [])
  const expiring = keyConcerns(keys.data?.pages.flatMap((page) => page.data) ?? [], now)
  const waiting = (webhooks.data?.data ?? []).reduce((sum, { health }) => sum + health.waiting, 0)
  return (
    <>
      <PageTitle title="Overview" />
      <Stack gap="lg">
        <Loaded reading={webhooks}>
          {({ pagination }) => (
            <Facts
              facts={[
                ['Webhooks', count(pagination.total)],
                ['Failing or deactivated', count(failing.length)],
                ['Deliveries waiting', count(waiting)],
                ['Keys that stop within 7 days', keys.data ? count(expiring.length) : '…'],
              ]}
            />
          )}
        </Loaded>
        <section aria-labelledby="attention">
          <Title order={2} size="h3" id="attention" mb="sm">
            Needs attention
          </Title>
          <Loaded reading={keys}>{() => <ConcernList concerns={[...failing, ...expiring]} />}</Loaded>
        </section>
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
