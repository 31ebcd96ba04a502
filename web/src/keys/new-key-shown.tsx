import { Tabs } from '@mantine/core'
import { useSession } from '../common/session/context.ts'
import { CodeBlock } from '../common/ui/code-block.tsx'
import { ShownOnce } from '../common/ui/shown-once.tsx'
import { curlCall, envLine } from './key-uses.ts'
import { texts } from './texts.ts'

/** Shows a whole key. It can be seen only this once. */
export function NewKeyShown({ apiKey, onDone }: { apiKey: string; onDone: () => void }) {
  const { settings } = useSession()
  return (
    <ShownOnce title={texts.yourNewApiKey} what={texts.key} value={apiKey} onDone={onDone}>
      <Tabs defaultValue="env">
        <Tabs.List mb="xs">
          <Tabs.Tab value="env">{texts.envTab}</Tabs.Tab>
          <Tabs.Tab value="curl">{texts.curlTab}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="env">
          <CodeBlock text={envLine(apiKey)} what={texts.envLine} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <CodeBlock text={curlCall(settings.public_url, apiKey)} what={texts.curlWithKey} />
        </Tabs.Panel>
      </Tabs>
    </ShownOnce>
  )
}
