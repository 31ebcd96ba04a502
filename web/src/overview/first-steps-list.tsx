import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { PageOf } from '../common/api/paging.ts'
import type { Webhook } from '../common/api/wire.ts'
import { useMay } from '../common/session/context.ts'
import { usePage } from '../common/session/queries.ts'
import { ButtonLink } from '../common/ui/button-link.tsx'
import { IconCheck } from '../common/ui/icons.ts'
import { useSendTest } from '../webhooks/use-send-test.ts'
import { firstStepsOf, type FirstSteps } from './first-steps.ts'
import { texts } from './texts.ts'

/** The first steps; undefined until they are known. */
export function useFirstSteps(): FirstSteps | undefined {
  const page = usePage<PageOf<Webhook>>('/webhooks', {}).data
  return page && firstStepsOf(page)
}

type Step = {
  readonly title: string
  readonly means: string
  readonly isDone: boolean
  /** The button of a step, while it is the next one. */
  readonly action: ReactNode
}

/** Leads to the first delivered event in three steps. The next step has its button. */
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
