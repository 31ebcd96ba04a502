import { notifications } from '@mantine/notifications'
import type { TestResult } from '../common/api/wire.ts'
import { causeOf, shortCause } from '../common/format/attempt-hints.ts'
import { useChange } from '../common/session/queries.ts'
import { showRefusal } from '../common/ui/toasts.tsx'
import { texts } from './texts.ts'

/** Sends a test event and shows the outcome in a message, even if the component that sent it is no longer there. */
export function useSendTest() {
  const test = useChange<TestResult>()
  const send = async ({ id, name }: { readonly id: string; readonly name: string }) => {
    try {
      const result = await test.mutateAsync({ method: 'POST', path: `/webhooks/${id}/test`, body: {} })
      const { response_code: status } = result
      notifications.show({
        color: result.success ? 'green' : 'red',
        title:
          status === null
            ? texts.testResult({ name, result: shortCause(result) })
            : texts.testResponse({ name, status }),
        message: causeOf(result)?.hint ?? texts.itArrived,
      })
    } catch (error) {
      showRefusal(error)
    }
  }
  return {
    send: (webhook: { readonly id: string; readonly name: string }) => void send(webhook),
    isBusy: test.isPending,
  }
}
