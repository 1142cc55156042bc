// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// Checks which source vouches for the wall clock, and whether its time is possible.
struct ClockProbe: CheckProbe {
    let setting: CheckSetting

    var subjects: [CheckSubject] { [CheckSubject(.clock, "clock")] }

    func run(_ report: (CheckFinding) -> Void) {
        let opinion = setting.trust.opinion
        let anchor = setting.trust.anchor(setting.clock, opinion)
        let hasRTC = access("/sys/class/rtc/rtc0", F_OK) == 0
        report(
            ClockVerdict(anchor: anchor, hasRTC: hasRTC, note: opinion.note, hasReceiver: setting.board.position != nil)
                .finding(subjects[0]))
    }
}
