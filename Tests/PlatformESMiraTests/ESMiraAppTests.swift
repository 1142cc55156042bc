// SPDX-License-Identifier: Apache-2.0
import Base
import CZlib
import Glibc
import Study
import SystemKit
import Testing

@testable import PlatformESMira

/// The app's own compiled code beside ours.
///
/// `app-outcomes.txt.gz` has what ESMira-apps f750e58 (Android 2.22.1) did with the studies of
/// `AppStudy`: its shared Kotlin code, compiled whole by Kotlin 2.4 with its own serialization on a
/// JVM 17 and a real SQLite 3.40 (the app's tables), the clock replaced by a number that jumps from
/// alarm to alarm, Android's `AlarmBox`, `Notifications` and `WorkerBox.timeoutNotification` by a
/// few lines that do the same, ktor's calendar by `java.util.Calendar`, and `Scheduler.getRandom`
/// by the draws of these tests (label and digest as in `ESMiraSchedule.signals`).
@Suite struct ESMiraAppTests {
    /// By `number zone habit`; nil = the app did not come to an end.
    private static let outcomes: [String: Set<String>?] = {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        guard let file = gzopen("/\(folder)/app-outcomes.txt.gz", "rb") else { return [:] }
        defer { gzclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = gzread(file, &chunk, UInt32(chunk.count)), count > 0 { bytes += chunk[..<Int(count)] }
        var all: [String: Set<String>?] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            all[String(parts[0])] = .some(parts[1] == "endless" ? nil : Self.events(parts[1]))
        }
        return all
    }()

    /// `i50001@100/90 r50001+20`: a time behind `+` counts from the event before.
    private static func events(_ text: Substring) -> Set<String> {
        var time = 0
        return Set(
            text.split(separator: " ").map { event in
                let parts = event.split(separator: "+")
                let (delta, other) =
                    parts[1].split(separator: "/").first.map { first in
                        (Int(first) ?? 0, parts[1].dropFirst(first.count))
                    } ?? (0, "")
                time += delta
                return "\(parts[0])@\(time)\(other)"
            })
    }

    private static let playsAll = getenv("STUDYD_JOURNEYS") != nil

    @Test func theOutcomesAreThere() { #expect(Self.outcomes.count == 4000) }

    /// Studies in which the app once did something else than we.
    private static let telling: Set = [354, 404, 489, 676, 740, 749, 756, 823, 927]

    /// Whatever is otherwise is explained by a row of docs/esmira.md that touches it. One habit of
    /// each study; `STUDYD_JOURNEYS=1` plays all four.
    @Test(arguments: Array(stride(from: 0, to: 1_000, by: 50)))
    func everyOutcomeIsTheAppsOrARowOfTheTable(_ first: Int) throws {
        for number in first..<first + 50 {
            let app = AppStudy(number)
            let study = try ESMiraReader().decode(StudySource(Array(app.text.utf8)))
            for name in AppStudy.zones {
                let zone = try #require(try? Zone.load(name), "needs tzdata")
                for (place, habit) in AppStudy.Habit.allCases.enumerated() {
                    guard Self.playsAll || Self.telling.contains(number) || place == number / 3 % 4 else { continue }
                    guard let theirs = Self.outcomes["\(number) \(name) \(habit.rawValue)"] else { continue }
                    var journey = AppJourney(app, study, habit, zone)
                    let ours = journey.run()
                    let raises = app.text.contains("cueCode")
                    guard !AppDifference.explains(journey.explanations, habit, raises: raises, ours, theirs)
                    else { continue }
                    let (more, less) = (ours.subtracting(theirs ?? []), (theirs ?? []).subtracting(ours))
                    Issue.record("\(number) \(name) \(habit): +\(more.sorted()) -\(less.sorted())")
                }
            }
        }
    }

    /// Studies joined on 2 March 2026 at ten, with what the compiled app did: kind, day and time.
    @Test(arguments: [
        // Prompts while it rests, and out of its hours, are gone.
        (
            #""limitCompletionFrequency":true,"completionFrequencyMinutes":90,"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[{"startTimeOfDay":36000000},{"startTimeOfDay":39600000},{"startTimeOfDay":43200000}]}]}]"#,
            AppStudy.Habit.once, ["i3T10:00", "i3T12:00", "q3T10:01", "q3T12:01"]
        ),
        // The end of the day is the end of the reminders, and nothing times out after the last.
        (
            #""completableAtSpecificTime":true,"completableAtSpecificTimeStart":36000000,"completableAtSpecificTimeEnd":43200000,"actionTriggers":[{"actions":[{"reminder_count":3,"timeout":20}],"schedules":[{"startDayOne":false,"signalTimes":[{"startTimeOfDay":42600000}]}]}]"#,
            .never, ["i2T11:50", "i3T11:50", "r2T11:55", "r2T12:00", "r3T11:55", "r3T12:00"]
        ),
        // A time-out is reported though it can only be filled out for half an hour.
        (
            #""completableOncePerNotification":true,"completableMinutesAfterNotification":30,"actionTriggers":[{"actions":[{"timeout":90}],"schedules":[{"signalTimes":[{"startTimeOfDay":43200000}]}]}]"#,
            .never, ["i3T12:00", "m3T13:30"]
        ),
        // 999 and 2889: the app's own test study.
        (
            #""durationEnd":-30610224000000,"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[{"startTimeOfDay":43200000}]}]}]"#,
            .never, []
        ),
        (
            #""durationStart":29032473600000,"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[{"startTimeOfDay":43200000}]}]}]"#,
            .never, []
        ),
        // What is over is not even told of.
        (
            #""completableOnce":true,"actionTriggers":[{"actions":[{},{"type":2,"msgText":"b"}],"schedules":[{"signalTimes":[{"startTimeOfDay":43200000}]}]}]"#,
            .once, ["i3T12:00", "q3T12:01", "s3T12:00"]
        ),
    ])
    func whatTheAppDidWith(_ questionnaire: String, _ habit: AppStudy.Habit, _ expected: [String]) throws {
        let app = AppStudy(text: ESMiraSample.text("\(ESMiraSample.pages),\(questionnaire)"), joined: 122_400_000)
        let study = try ESMiraReader().decode(StudySource(Array(app.text.utf8)))
        var journey = AppJourney(app, study, habit, .utc)
        let events = journey.run().compactMap { event -> String? in
            let parts = event.split { $0 == "@" || $0 == "/" }
            guard let time = Int(parts[1]), time < 48 * 3_600_000 else { return nil }
            let local = app.joined(in: .utc).adding(.milliseconds(time))
            return "\(event.prefix(1))\(local.date.components.day)T" + "\(local.time)".prefix(5)
        }
        #expect(events.sorted() == expected)
    }
}
