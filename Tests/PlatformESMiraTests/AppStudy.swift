// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// A study drawn from a number, and how its participant joins and behaves: what the app was given, too.
struct AppStudy {
    /// When questionnaires are filled out.
    enum Habit: String, CaseIterable {
        case never
        /// A minute after each signal.
        case once
        /// A long time after each signal.
        case late
        /// At times of one's own.
        case own = "self"
    }

    static let zones = ["UTC", "Europe/Berlin", "Pacific/Auckland"]
    private static let hour = 3_600_000

    /// As the server gives it.
    let text: String
    /// What the wall clock shows at joining, in milliseconds from 1 March 2026.
    let joined: Int
    /// Milliseconds.
    let lateness: Int
    /// Milliseconds from one look to the next.
    let rhythm: Int
    /// 0 = none.
    let group: Int

    init(_ number: Int) {
        var draw = AppDraw(number)
        // Mostly before the clocks change in Berlin (29 March) and in Auckland (5 April).
        joined = draw.number(0...38) * 24 * Self.hour + draw.number(0...86_399_999)
        lateness = draw.one(of: [20, 37, 75, 150, 600]) * 60_000 + 1_234
        rhythm = draw.one(of: [47, 131, 313, 727]) * 60_000 + 4_321
        let hasGroups = draw.isTrue(10)
        group = hasGroups ? draw.number(1...2) : 0
        let count = draw.isTrue(30) ? 2 : 1
        var questionnaires: [String] = []
        for number in 0..<count {
            questionnaires.append(Self.questionnaire(50_001 + number, joined, hasGroups, &draw))
        }
        var fields = [
            #""id":4711"#,
            #""eventUploadSettings":{"reminder":true,"invitation_missed":true,"message":true,"notification":true}"#,
            #""sendMessagesAllowed":false,"questionnaires":[\#(questionnaires.joined(separator: ","))]"#,
        ]
        if hasGroups { fields.append(#""randomGroups":2"#) }
        if draw.isTrue(25) { fields.append(#""legacyScheduling":true"#) }
        text = "{\(fields.joined(separator: ","))}"
    }

    func joined(in zone: Zone) -> LocalDateTime {
        LocalDateTime(LocalDate(daysSinceEpoch: 20_513), .midnight).adding(.milliseconds(joined))
    }

    func step(_ habit: Habit) -> Int {
        switch habit {
        case .never: 0
        case .once: 60_000
        case .late: lateness
        case .own: rhythm
        }
    }

    private static func questionnaire(
        _ id: Int, _ joined: Int, _ hasGroups: Bool, _ draw: inout AppDraw
    ) -> String {
        // 1 March 2026.
        let start = 1_772_323_200_000 + joined
        var fields = [
            #""internalId":\#(id),"title":"Q","pages":[{"inputs":[{"name":"mood\#(id)","responseType":"likert"}]}]"#
        ]
        if draw.isTrue(10) { fields.append(#""completableOnce":true"#) }
        if draw.isTrue(40) {
            fields.append(#""completableOncePerNotification":true"#)
            let minutes = draw.one(of: [0, 0, 30, 120])
            if minutes > 0 { fields.append(#""completableMinutesAfterNotification":\#(minutes)"#) }
        }
        if draw.isTrue(25) {
            let minutes = draw.one(of: [45, 90, 300, 1_440])
            fields.append(#""limitCompletionFrequency":true,"completionFrequencyMinutes":\#(minutes)"#)
        }
        if draw.isTrue(25) {
            let start = draw.one(of: [-1, 0, 8, 10, 18, 22])
            let end = draw.one(of: [-1, 2, 12, 20, 23, 24])
            if start != end || start != -1 {
                let (from, to) = (start < 0 ? -1 : start * hour, end < 0 ? -1 : end * hour)
                fields.append(
                    #""completableAtSpecificTime":true,"completableAtSpecificTimeStart":\#(from),"completableAtSpecificTimeEnd":\#(to)"#
                )
            }
        }
        if draw.isTrue(10) {
            fields.append(#""durationStart":\#(start + draw.number(-50_000_000...250_000_000))"#)
        } else if draw.isTrue(20) {
            fields.append(#""durationStartingAfterDays":\#(draw.number(1...3))"#)
        }
        if draw.isTrue(10) { fields.append(#""durationEnd":\#(start + draw.number(300_000_000...700_000_000))"#) }
        if draw.isTrue(25) { fields.append(#""durationPeriodDays":\#(draw.number(2...7))"#) }
        if hasGroups { fields.append(#""limitToGroup":\#(draw.number(0...2))"#) }
        let triggers = (0..<draw.one(of: [1, 1, 1, 2])).map { _ in trigger(&draw) }
        fields.append(#""actionTriggers":[\#(triggers.joined(separator: ","))]"#)
        return "{\(fields.joined(separator: ","))}"
    }

    private static func trigger(_ draw: inout AppDraw) -> String {
        let actions = (0..<draw.one(of: [1, 1, 1, 1, 2])).map { _ in action(&draw) }
        let schedules = (0..<draw.one(of: [0, 1, 1, 1, 1, 2])).map { _ in schedule(&draw) }
        let isEvent = schedules.isEmpty || draw.isTrue(20)
        let events = isEvent ? [event(&draw)] : []
        return
            #"{"actions":[\#(actions.joined(separator: ","))],"schedules":[\#(schedules.joined(separator: ","))],"eventTriggers":[\#(events.joined(separator: ","))]}"#
    }

    private static func action(_ draw: inout AppDraw) -> String {
        let type = draw.one(of: [1, 1, 1, 1, 1, 1, 1, 1, 2, 3])
        guard type == 1 else { return #"{"type":\#(type),"msgText":"m"}"# }
        let (reminders, minutes) = (draw.one(of: [0, 0, 1, 2, 3]), draw.one(of: [5, 10, 30, 60]))
        return
            #"{"type":1,"timeout":\#(draw.one(of: [0, 0, 10, 30, 90])),"reminder_count":\#(reminders),"reminder_delay_minu":\#(minutes)}"#
    }

    private static func schedule(_ draw: inout AppDraw) -> String {
        var fields = [#""dailyRepeatRate":\#(draw.one(of: [1, 1, 1, 2, 3]))"#]
        if draw.isTrue(20) { fields.append(#""weekdays":\#(draw.number(1...127))"#) }
        if draw.isTrue(5) { fields.append(#""dayOfMonth":\#(draw.number(1...28))"#) }
        if draw.isTrue(15) { fields.append(#""skipFirstInLoop":true"#) }
        if draw.isTrue(50) { fields.append(#""startDayOne":false"#) }
        let times = (0..<draw.one(of: [1, 1, 2, 3])).map { _ in signalTime(&draw) }
        fields.append(#""signalTimes":[\#(times.joined(separator: ","))]"#)
        return "{\(fields.joined(separator: ","))}"
    }

    private static func signalTime(_ draw: inout AppDraw) -> String {
        guard draw.isTrue(40) else {
            return #"{"startTimeOfDay":\#(draw.isTrue(10) ? 0 : draw.number(0...287) * 300_000)}"#
        }
        let start = draw.number(0...22)
        let end = draw.isTrue(80) ? draw.number(start + 1...24) : draw.number(0...23)
        var fields = [
            #""random":true,"frequency":\#(draw.number(1...4)),"minutesBetween":\#(draw.one(of: [15, 30, 60]))"#,
            #""startTimeOfDay":\#(start * hour),"endTimeOfDay":\#(end * hour)"#,
        ]
        if draw.isTrue(15) { fields.append(#""randomFixed":true"#) }
        return "{\(fields.joined(separator: ","))}"
    }

    private static func event(_ draw: inout AppDraw) -> String {
        let cue = draw.one(of: [
            "joined", "questionnaire", "questionnaire", "invitation", "reminder", "invitation_missed",
        ])
        // What raises itself comes a few times in nine days.
        let delay = draw.one(of: cue == "joined" ? [60, 600, 3_600, 30_000] : [20_000, 70_000, 200_000])
        var fields = [#""cueCode":"\#(cue)","delaySec":\#(cue == "questionnaire" && draw.isTrue(30) ? 0 : delay)"#]
        if draw.isTrue(30) {
            fields.append(#""randomDelay":true,"delayMinimumSec":\#(draw.one(of: [10_000, 20_000, 60_000]))"#)
        }
        if draw.isTrue(20) { fields.append(#""skipThisQuestionnaire":true"#) }
        if draw.isTrue(20) {
            fields.append(#""specificQuestionnaireInternalId":\#(draw.one(of: [50_001, 50_002]))"#)
        }
        return "{\(fields.joined(separator: ","))}"
    }
}

/// Numbers that follow from one.
struct AppDraw {
    private var generator: SplitMix64

    init(_ number: Int) { generator = SplitMix64(seed: UInt64(number)) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { range.lowerBound + generator.below(range.count) }
    mutating func one<Element>(of all: [Element]) -> Element { all[generator.below(all.count)] }
    /// So often of a hundred.
    mutating func isTrue(_ percent: Int) -> Bool { generator.below(100) < percent }
}
