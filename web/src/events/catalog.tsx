import { Anchor, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { EventType, WebhookName } from '../common/api/wire.ts'
import { useOne } from '../common/session/queries.ts'
import { useWebhookNames } from '../common/session/webhook-names.ts'
import { ForeignBlock, ForeignName } from '../common/ui/foreign-text.tsx'
import { Disclosure } from '../common/ui/disclosure.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { byFamily } from '../webhooks/event-families.ts'
import { texts } from './texts.ts'

/** All event types: when each happens, what it sends, and which webhooks get it. */
export function Catalog() {
  const [search, setSearch] = useState('')
  const catalog = useOne<readonly EventType[]>('/event-types')
  const webhooks = useWebhookNames()
  return (
    <>
      <div className="toolbar">
        <TextInput
          label={texts.searchEvents}
          placeholder={texts.searchEvents}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <div className="toolbar-end">
          <span className="quiet">
            {texts.forYourCode({
              types: <FileLink path="index.d.ts">{texts.allEventsAsTypescript}</FileLink>,
            })}
          </span>
        </div>
      </div>
      <Loaded reading={catalog}>
        {({ item }) => {
          const families = byFamily(item, search)
          if (families.length === 0) return <Text>{texts.noEventFound}</Text>
          return families.map(([family, types]) => (
            <section key={family} aria-label={family} className="entries">
              <Title order={2} size="h3">
                {family}
              </Title>
              {types.map((type) => (
                <Entry key={type.name} type={type} webhooks={webhooks} />
              ))}
            </section>
          ))
        }}
      </Loaded>
    </>
  )
}

/** A file that the api serves for programs. */
const FileLink = ({ path, children }: { readonly path: string; readonly children: ReactNode }) => (
  <Anchor href={`/event-types/${path}`} download inherit underline="always">
    {children}
  </Anchor>
)

function Entry({
  type: { name, description, example },
  webhooks,
}: {
  type: EventType
  webhooks: readonly WebhookName[]
}) {
  const subscribers = webhooks.filter(({ events }) => events.includes(name))
  return (
    <Disclosure
      className="entry-line"
      summary={
        <>
          <code>{name}</code> <span className="quiet">{description}</span>
        </>
      }
    >
      <Stack gap="xs" p="md">
        <Text size="sm">
          {subscribers.length === 0 ? texts.noWebhookGetsIt : `${texts.sentTo} `}
          {subscribers.map((webhook, index) => (
            <span key={webhook.id}>
              {index > 0 && ', '}
              <TextLink href={`/webhooks/${webhook.id}`}>
                <ForeignName text={webhook.name} />
              </TextLink>
            </span>
          ))}
        </Text>
        <Text size="sm">
          <FileLink path={`${name}.schema.json`}>{texts.jsonSchemaOf({ name })}</FileLink>
        </Text>
        <ForeignBlock label={texts.exampleOf({ name })} text={JSON.stringify(example, null, 2)} />
      </Stack>
    </Disclosure>
  )
}
