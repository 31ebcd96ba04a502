#!/usr/bin/env node
import { runListen } from './listen/run.ts'

/** `listen` as a program of its own, for a developer's machine: one file that needs nothing but Node. */
process.exitCode = await runListen(process.argv.slice(2), 'sales-data-listen')
