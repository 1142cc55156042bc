// SPDX-License-Identifier: Apache-2.0
import Base

/// What is wrong with the event logs of devices (`LogHeads`), on the page of all participants.
struct AlarmCard {
    let alarms: [LogHeads.Alarm]
    let now: Instant

    var html: HTML {
        guard !alarms.isEmpty else { return .none }
        let lines = alarms.prefix(20).map { alarm -> HTML in
            """
            <li><span class="tag bad">log</span> \(now.ago(alarm.received)), \(alarm.user.isEmpty ? "log" : alarm.user) \(alarm.log.prefix(8)): \(
            alarm.text)
            """
        }
        return """
            <section class="card"><h2>Event logs that have changed</h2><ul class="problems">\(lines)</ul></section>
            """
    }
}
