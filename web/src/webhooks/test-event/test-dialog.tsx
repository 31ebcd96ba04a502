import { Button, NativeSelect, Stack, Text, Textarea } from '@mantine/core'
import { useEffect, useRef, useState, type SubmitEvent } from 'react'
import type { EventType, TestResult } from '../../common/api/wire.ts'
import { useChange, useOne } from '../../common/session/queries.ts'
import { Dialog } from '../../common/ui/dialog.tsx'
import { Loaded } from '../../common/ui/loaded.tsx'
import { RefusalNotice } from '../../common/ui/refusal-notice.tsx'
import { exampleText, readTestContent, type Fault } from './test-content.ts'
import { TestOutcome } from './test-outcome.tsx'
import { DialogFoot } from '../../common/ui/dialog-foot.tsx'
import { Form } from '../../common/ui/form.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly webhookId: string
  /** The event types of the webhook. The first of them is preselected. */
  readonly events?: readonly string[]
  readonly onClose: () => void
}

/** Sends a test event of any type, with content that the user can edit, and shows the outcome. */
export function TestDialog(props: Props) {
  const catalog = useOne<readonly EventType[]>('/event-types')
  return <Loaded reading={catalog}>{({ item }) => <TestForm {...props} catalog={item} />}</Loaded>
}

function TestForm({ webhookId, events = [], catalog, onClose }: Props & { catalog: readonly EventType[] }) {
  const first = catalog.find(({ name }) => events.includes(name)) ?? catalog[0]
  const [type, setType] = useState(first)
  const [text, setText] = useState(first ? exampleText(first) : '')
  const [shown, setShown] = useState<Fault>()
  const [sent, setSent] = useState<{ type: string; text: string }>()
  const field = useRef<HTMLTextAreaElement>(null)
  const outcome = useRef<HTMLDivElement>(null)
  const test = useChange<TestResult>()
  useEffect(() => {
    outcome.current?.scrollIntoView({ block: 'nearest' })
  }, [test.data])
  if (!type) return null
  const choose = (name: string) => {
    const next = catalog.find((each) => each.name === name)
    if (!next) return
    setType(next)
    setText(exampleText(next))
    setShown(undefined)
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const { body, fault } = readTestContent(type.name, text)
    setShown(fault)
    if (body) {
      setSent({ type: type.name, text })
      test.mutate({ method: 'POST', path: `/webhooks/${webhookId}/test`, body })
    } else if (fault.offset !== undefined) showPlace(field.current, fault.offset)
  }
  const isEdited = text !== exampleText(type)
  return (
    <Dialog
      title={texts.sendATestEvent}
      size="xl"
      onClose={onClose}
      hasInput={isEdited && text !== sent?.text}
    >
      <Form onSubmit={submit}>
        <Stack gap="sm">
          <NativeSelect
            label={texts.typeOfTheEvent}
            data={catalog.map(({ name }) => name)}
            value={type.name}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
          <Textarea
            ref={field}
            label={texts.testContent}
            description={texts.testContentMeans}
            autosize
            minRows={8}
            maxRows={18}
            spellCheck={false}
            className="code-field foreign"
            value={text}
            error={shown?.message}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value)
              // A shown error disappears as soon as the text is right. No new error appears while the user types.
              if (shown) setShown(readTestContent(type.name, currentTarget.value).fault)
            }}
          />
          <Text size="sm" className="quiet">
            {texts.testIsTold}
          </Text>
          <div role="status" ref={outcome}>
            {test.data && sent && (
              <TestOutcome
                result={test.data}
                webhookId={webhookId}
                type={sent.type}
                onClose={() => test.reset()}
              />
            )}
          </div>
          {test.error && <RefusalNotice error={test.error} />}
          <DialogFoot>
            <Button variant="default" onClick={() => choose(type.name)} disabled={!isEdited}>
              {texts.backToTheExample}
            </Button>
            <Button type="submit" loading={test.isPending}>
              {texts.sendTestEvent}
            </Button>
          </DialogFoot>
        </Stack>
      </Form>
    </Dialog>
  )
}

/** Puts the cursor where the text is wrong, and selects the wrong character. */
function showPlace(field: HTMLTextAreaElement | null, offset: number): void {
  field?.focus()
  field?.setSelectionRange(Math.min(offset, field.value.length), offset + 1)
}
