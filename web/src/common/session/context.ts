import { createContext, use, useSyncExternalStore } from 'react'
import { useParams } from 'wouter'
import type { Environment, Permission, Session, SignedIn } from '../api/wire.ts'
import type { Console } from './console.ts'
import type { Store } from './store.ts'

const ConsoleContext = createContext<Console | undefined>(undefined)

export const ConsoleProvider = ConsoleContext.Provider

/** The shared parts of the page. */
export function useConsole(): Console {
  const parts = use(ConsoleContext)
  if (!parts) throw new Error('useConsole is used outside ConsoleProvider')
  return parts
}

export const useClient = () => useConsole().client

/** The value of a store. The component renders again when it changes. */
export const useStore = <Value>(store: Store<Value>): Value => useSyncExternalStore(store.watch, store.get)

/** The session document, whether signed in or out. undefined until it arrives. */
export const useAnySession = (): Session | undefined => useStore(useConsole().session)

const SignedInContext = createContext<SignedIn | undefined>(undefined)

export const SignedInProvider = SignedInContext.Provider

/** The session of the signed-in user. Use it only where a user is signed in. */
export function useSession(): SignedIn {
  const session = use(SignedInContext)
  if (!session) throw new Error('useSession is used outside SignedInProvider')
  return session
}

/** Whether the role of the user allows the action. The api checks it again. */
export const useMay = (permission: Permission): boolean => useSession().permissions.includes(permission)

/** The company and the environment in the URL, and the path of the API below which their data is. */
export function usePlace(): {
  readonly companyId: string
  readonly environment: Environment
  readonly base: string
} {
  const { companyId, environment } = useParams<{ companyId: string; environment: Environment }>()
  return { companyId, environment, base: `/companies/${companyId}/${environment}` }
}
