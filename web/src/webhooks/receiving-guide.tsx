import { Stack, Text, Title } from '@mantine/core'
import { useSession } from '../common/session/context.ts'
import { PageTitle } from '../common/ui/page-title.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { VerifyTabs } from './verify-tabs.tsx'

/** Stands for the secret of the reader's webhook, in the form of one. */
const PLACEHOLDER = 'whsec_YOUR_SECRET'

/** What owners of an endpoint have to know, in short. docs/receiving.md has all of it. */
export function ReceivingGuide() {
  const { public_url: publicUrl } = useSession().settings
  return (
    <Stack maw={860}>
      <section aria-labelledby="request">
        <Title order={2} size="h3" id="request" mb="xs">
          What arrives
        </Title>
        <Text>
          A POST with the event as JSON: <code>id</code>, <code>event</code>, <code>created_at</code> and{' '}
          <code>data</code>. <TextLink href="/events">The event catalog</TextLink> has an example of each
          type. Three headers belong to the signature: <code>webhook-id</code>, <code>webhook-timestamp</code>{' '}
          and <code>webhook-signature</code>.
        </Text>
      </section>
      <section aria-labelledby="verify">
        <Title order={2} size="h3" id="verify" mb="xs">
          Check that it is ours
        </Title>
        <Text mb="xs">
          Take the body as the bytes that came, before any JSON parser. Answer 401 to what does not verify.
          The secret was shown when the webhook was made; an admin can make a new one on its page.
        </Text>
        <VerifyTabs secret={PLACEHOLDER} />
      </section>
      <section aria-labelledby="answer">
        <Title order={2} size="h3" id="answer" mb="xs">
          Answer
        </Title>
        <ul>
          <li>Keep the event, answer 2xx within seconds, and do the work afterwards.</li>
          <li>Any other answer, and none, is a failure and is tried again. 410 deactivates the webhook.</li>
          <li>Redirects are never followed: change the URL of the webhook.</li>
          <li>An event may come twice, with the same webhook-id: drop the repeat and answer 2xx.</li>
          <li>No order is guaranteed: compare updated_at of the records.</li>
        </ul>
      </section>
      <Text>
        <a href={`${publicUrl}/docs`} rel="noreferrer" target="_blank">
          The whole API, to read and to try (new tab)
        </a>
      </Text>
    </Stack>
  )
}

/** The guide as a page of its own, for who has no webhook yet. */
export const ReceivingPage = () => (
  <>
    <PageTitle title="Receiving webhooks" />
    <ReceivingGuide />
  </>
)
