import type { ReactNode } from 'react'
import { Brand } from './brand.tsx'
import { texts } from './texts.ts'
import { Traces } from './traces.tsx'

/** A page outside the frame of the screens, for people who are not signed in, or who must first do something else. */
export const FrontPage = ({ children }: { children: ReactNode }) => (
  <main className="front">
    <div className="front-art">
      <Brand />
      <Traces />
      <p className="front-words">
        <strong>{texts.promise}</strong>
        {texts.howItIsKept}
      </p>
    </div>
    <div className="front-form">{children}</div>
  </main>
)
