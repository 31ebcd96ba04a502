import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { PageOf } from '../common/api/paging.ts'
import type { Webhook } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { usePage } from '../common/session/queries.ts'
import { ButtonLink } from '../common/ui/button-link.tsx'
import { IconCheck } from '../common/ui/icons.ts'
import { useSendTest } from '../webhooks/use-send-test.ts'
import { texts } from './texts.ts'

/** How far a new environment has come, by what is in it. `webhook` is the one to go on with. */
export type FirstSteps = {
  readonly webhook: Webhook | undefined
  readonly isSent: boolean
  readonly hasArrived: boolean
  readonly isOver: boolean
}

/** With so many deliveries an environment is not new any more. */
const FIRST_DELIVERIES = 5

/** The first steps; undefined until they are known. They are over once an event has arrived and a few more were sent. */
export function useFirstSteps(): FirstSteps | undefined {
  const page = usePage<PageOf<Webhook>>('/webhooks', {}).data
  if (!page) return undefined
  const { data: webhooks, pagination } = page
  const hasArrived = webhooks.some(({ health: { last_success_at: at } }) => at !== null)
  const sent = webhooks.reduce((sum, { total_deliveries: made }) => sum + made, 0)
  return {
    webhook: webhooks.find(({ is_active: isActive }) => isActive) ?? webhooks[0],
    isSent: sent > 0,
    hasArrived,
    // Nor is one with more than a page of webhooks.
    isOver: pagination.total > webhooks.length || (hasArrived && sent >= FIRST_DELIVERIES),
  }
}

type Step = {
  readonly title: string
  readonly means: string
  readonly isDone: boolean
  /** What to press, while it is the next one. */
  readonly action: ReactNode
}

/** From nothing to the first event that arrives: three steps, with the button of the next one. */
export function FirstStepsList({ steps: { webhook, isSent, hasArrived } }: { steps: FirstSteps }) {
  const mayWrite = useMay('webhooks.write')
  const steps: readonly Step[] = [
    {
      title: texts.stepCreate,
      means: texts.stepCreateMeans,
      isDone: webhook !== undefined,
      action: mayWrite && (
        <ButtonLink href="/webhooks/new" variant="filled">
          {texts.createWebhook}
        </ButtonLink>
      ),
    },
    {
      title: texts.stepSend,
      means: texts.stepSendMeans,
      isDone: isSent,
      action: webhook && <SendTest webhook={webhook} />,
    },
    {
      title: texts.stepSee,
      means: isSent ? texts.stepSeeAnswer : texts.stepSeeMeans,
      isDone: hasArrived,
      action: webhook && (
        <ButtonLink href={`/webhooks/${webhook.id}`} variant={hasArrived ? 'default' : 'filled'}>
          {texts.seeDelivery}
        </ButtonLink>
      ),
    },
  ]
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <ol className="first-steps" aria-label={texts.firstSteps}>
      {steps.map(({ title, means, isDone, action }, index) => (
        <li
          key={title}
          className="panel"
          data-state={isDone ? 'done' : index === next ? 'next' : 'later'}
          aria-current={index === next ? 'step' : undefined}
        >
          <span className="tile" aria-hidden="true">
            {isDone ? <IconCheck size={20} stroke={1.75} /> : index + 1}
          </span>
          <h2>
            {title}
            {isDone && <span className="visually-hidden"> ({texts.stepDone})</span>}
          </h2>
          <p className="quiet">{means}</p>
          {(index === next || (isDone && index === steps.length - 1)) && action}
        </li>
      ))}
    </ol>
  )
}

function SendTest({ webhook }: { webhook: Webhook }) {
  const mayTest = useMay('webhooks.test')
  const { send, isBusy } = useSendTest()
  if (!mayTest) return null
  return (
    <Button loading={isBusy} onClick={() => send(webhook)}>
      {texts.sendTest}
    </Button>
  )
}
