import { Alert, Button, Group, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { texts } from './texts.ts'

type Props = { readonly children: ReactNode }

/** `error`: why the screen cannot be shown; undefined if it can. */
type State = { readonly error: unknown }

/**
 * Replaces a screen that cannot be shown, because its code could not be loaded: the connection is lost, or a new release
 * has other files. The frame around it goes on working.
 */
export class ScreenBoundary extends Component<Props, State> {
  override readonly state: State = { error: undefined }

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children
    return (
      <Alert color="red" variant="outline" title={texts.screenFailed} role="alert">
        <Text size="sm">{texts.screenFailedWhy}</Text>
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={() => window.location.reload()}>
            {texts.loadThePageAgain}
          </Button>
        </Group>
      </Alert>
    )
  }
}
