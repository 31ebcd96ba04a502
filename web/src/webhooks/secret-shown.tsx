import { Tabs, Text } from '@mantine/core'
import { CodeBlock } from '../common/ui/code-block.js'
import { ShownOnce } from '../common/ui/shown-once.js'
import { VERIFY_SNIPPETS } from './verify-snippets.js'

/** Shows a signing secret the only time, with programs that use it. */
export function SecretShown({
  title,
  secret,
  onDone,
}: {
  title: string
  secret: string
  onDone: () => void
}) {
  return (
    <ShownOnce title={title} what="secret" value={secret} onDone={onDone}>
      <Text size="sm">Check with it that a request is ours, over the bytes of its body as they came:</Text>
      <Tabs defaultValue={VERIFY_SNIPPETS[0].name}>
        <Tabs.List mb="xs">
          {VERIFY_SNIPPETS.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {VERIFY_SNIPPETS.map(({ name, text }) => (
          <Tabs.Panel key={name} value={name}>
            <CodeBlock text={text(secret)} what={`${name} program`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </ShownOnce>
  )
}
