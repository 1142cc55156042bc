// SPDX-License-Identifier: Apache-2.0
import Base

extension StudyConductor {
    /// What is planned, as it was told last; nil = nobody wants to know.
    package var planned: String? { plans?.text }

    /// Tells what has changed of what is planned, and keeps it.
    mutating func tellPlans(at now: Moment) {
        guard plans != nil else { return }
        let scheduler = scheduler
        guard scheduler.clockIsTrusted, let reports = plans?.poll(scheduler, at: now.instant), !reports.isEmpty else {
            return
        }
        effects.append(.note(.serverSaid(name: ServerFact.planned, text: planned ?? "")))
        effects += reports.map(Effect.report)
    }
}
