import { Alert, Button, Group, Text } from '@mantine/core'
import { texts } from './texts.ts'

type Props = {
  /** What is asked, what leaving would do, and what the button says that leaves. */
  readonly question: { readonly title: string; readonly means: string; readonly action: string }
  readonly onStay: () => void
  readonly onLeave: () => void
}

/** Asks before a dialog closes that somebody would miss. It stands where the eye is: over the end of what is in view. */
export const LeaveQuestion = ({ question: { title, means, action }, onStay, onLeave }: Props) => (
  <Alert color="red" variant="outline" title={title} role="alert" className="leave-question">
    <Text size="sm">{means}</Text>
    <Group mt="xs">
      <Button size="xs" onClick={onStay} autoFocus>
        {texts.stay}
      </Button>
      <Button size="xs" variant="default" onClick={onLeave}>
        {action}
      </Button>
    </Group>
  </Alert>
)
