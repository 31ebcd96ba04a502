import { Tabs } from '@mantine/core'
import { CodeBlock } from '../common/ui/code-block.tsx'
import { VERIFY_SNIPPETS } from './verify-snippets.ts'
import { texts } from './texts.ts'

/** Programs that verify a signature, one in each tab. @param secret the secret as the programs should contain it */
export function VerifyTabs({ secret }: { secret: string }) {
  return (
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
          <CodeBlock text={text(secret)} what={texts.program({ name })} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
