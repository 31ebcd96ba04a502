import { Stack, Text, Title } from '@mantine/core'
import { useSession } from '../common/session/context.ts'
import { PageTitle } from '../common/ui/page-title.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { VerifyTabs } from './verify-tabs.tsx'
import { texts } from './texts.ts'

/** A placeholder in the form of a signing secret. */
const PLACEHOLDER = 'whsec_YOUR_SECRET'

/** A short guide for owners of an endpoint. docs/receiving.md has the whole text. */
export function ReceivingGuide() {
  const { public_url: publicUrl } = useSession().settings
  return (
    <Stack maw={860}>
      <section aria-labelledby="request">
        <Title order={2} size="h3" id="request" mb="xs">
          {texts.whatArrives}
        </Title>
        <Text>
          {texts.whatArrivesText({
            id: <code>id</code>,
            event: <code>event</code>,
            createdAt: <code>created_at</code>,
            data: <code>data</code>,
            catalog: <TextLink href="/events">{texts.theEventCatalog}</TextLink>,
            idHeader: <code>webhook-id</code>,
            timestampHeader: <code>webhook-timestamp</code>,
            signatureHeader: <code>webhook-signature</code>,
          })}
        </Text>
      </section>
      <section aria-labelledby="verify">
        <Title order={2} size="h3" id="verify" mb="xs">
          {texts.checkTitle}
        </Title>
        <Text mb="xs">{texts.checkText}</Text>
        <VerifyTabs secret={PLACEHOLDER} />
      </section>
      <section aria-labelledby="answer">
        <Title order={2} size="h3" id="answer" mb="xs">
          {texts.answer}
        </Title>
        <ul>
          <li>{texts.answerFast}</li>
          <li>{texts.otherAnswers}</li>
          <li>{texts.noRedirects}</li>
          <li>{texts.repeats}</li>
          <li>{texts.noOrder}</li>
        </ul>
      </section>
      <Text>
        <a href={`${publicUrl}/docs`} rel="noreferrer" target="_blank">
          {texts.wholeApi}
        </a>
      </Text>
    </Stack>
  )
}

/** The guide as a page, for a user without a webhook. */
export const ReceivingPage = () => (
  <>
    <PageTitle title={texts.receivingWebhooks} />
    <ReceivingGuide />
  </>
)
