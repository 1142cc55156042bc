// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A study drawn from a number, and how its participant joins and behaves: what the
/// app was given, too.
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

    /// A study for this case alone, joined at that many milliseconds after 1 March 2026.
    init(text: String, joined: Int) {
        (self.text, self.joined) = (text, joined)
        (lateness, rhythm, group) = (60_000, 60_000, 0)
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
        // Else long after what is compared, so that plans stay short.
        let days = draw.isTrue(10) ? draw.number(300_000_000...700_000_000) : 16 * 24 * hour
        fields.append(#""durationEnd":\#(start + days)"#)
        if draw.isTrue(25) { fields.append(#""durationPeriodDays":\#(draw.number(2...7))"#) }
        if hasGroups { fields.append(#""limitToGroup":\#(draw.number(0...2))"#) }
        let triggers = (0..<draw.one(of: [1, 1, 1, 2])).map { _ in trigger(id, &draw) }
        fields.append(#""actionTriggers":[\#(triggers.joined(separator: ","))]"#)
        return "{\(fields.joined(separator: ","))}"
    }

    private static func trigger(_ id: Int, _ draw: inout AppDraw) -> String {
        let actions = (0..<draw.one(of: [1, 1, 1, 1, 2])).map { _ in action(&draw) }
        let schedules = (0..<draw.one(of: [0, 1, 1, 1, 1, 2])).map { _ in schedule(&draw) }
        let isEvent = schedules.isEmpty || draw.isTrue(20)
        let events = isEvent ? [event(id, &draw)] : []
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
        let frequency = draw.number(1...4)
        var fields = [
            #""random":true,"frequency":\#(frequency),"minutesBetween":\#(draw.one(of: [15, 30, 60]))"#,
            #""startTimeOfDay":\#(start * hour),"endTimeOfDay":\#(end * hour)"#,
        ]
        // Of several a day the app has none from the third day on.
        if frequency == 1, draw.isTrue(30) { fields.append(#""randomFixed":true"#) }
        return "{\(fields.joined(separator: ","))}"
    }

    /// The second questionnaire listens to the first, so that nothing raises itself
    /// again and again.
    private static func event(_ id: Int, _ draw: inout AppDraw) -> String {
        let signals = ["invitation", "reminder", "invitation_missed"]
        let cue = draw.one(of: ["joined", "questionnaire", "questionnaire"] + (id == 50_001 ? [] : signals))
        let isFirst = id == 50_001 && cue != "joined"
        let delay = isFirst ? 200_000 : draw.one(of: [60, 600, 3_600, 20_000])
        var fields = [#""cueCode":"\#(cue)","delaySec":\#(cue == "questionnaire" && draw.isTrue(30) ? 0 : delay)"#]
        if draw.isTrue(30) {
            let least = isFirst ? 150_000 : draw.one(of: [60, 120, 700])
            fields.append(#""randomDelay":true,"delayMinimumSec":\#(least)"#)
        }
        if cue != "joined", id != 50_001 || draw.isTrue(20) {
            let isNamed = signals.contains(cue) || draw.isTrue(50)
            fields.append(
                isNamed ? #""specificQuestionnaireInternalId":50001"# : #""skipThisQuestionnaire":true"#)
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
    /// True in `percent` of a hundred draws.
    mutating func isTrue(_ percent: Int) -> Bool { generator.below(100) < percent }
}
