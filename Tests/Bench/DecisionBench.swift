// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Study
import SystemKit

/// What rules cost: half a year of ten of them that look at the body every minute.
enum DecisionBench {
    private static let days = 182
    private static let rules = 10

    /// `recording` is a day of acceleration at 100 Hz.
    static func all(_ recording: String) throws -> [Figure] {
        let loaded = try LoadedStudy(Array(study.utf8), origin: "bench.json")
        let context = try context(loaded.study)
        let world = SensorTimeline(minutes(from: context.enrolment.instant))
        let bare = try seconds(loaded, context, world)
        let ruled = try seconds(try ruled(loaded), context, world)
        let share = 100 * max(0, ruled - bare) / Double(days * 86_400)
        return [
            Figure(name: "half a year with \(rules) rules, simulated", value: ruled, unit: "s", limit: 2),
            Figure(name: "\(rules) rules a minute", value: share, unit: "% of a core", limit: 0.05),
            try replay(recording, try self.ruled(loaded)),
        ]
    }

    /// Seven times the day: files of a week are as many.
    private static func replay(_ recording: String, _ ruled: LoadedStudy) throws -> Figure {
        let features = ruled.study.rules?.features ?? []
        let day =
            1
            / (try Stopwatch.rate {
                try SensorTimeline(replaying: [recording], features, wear: false).end == nil ? 0 : 1
            })
        return Figure(name: "a week at 100 Hz replayed to rules", value: 7 * day, unit: "s", limit: 10)
    }

    /// One question, and no times of its own after the first day.
    private static let study = """
        {"properties":{"study_id":"BENCH","study_name":"Bench","post_url":"http://127.0.0.1/post","conditions":[],
        "instructions":"","empty_msg":"","banner_url":"","support_url":"","support_email":"","cache":false,"ethics":"","pls":""},
        "modules":[{"type":"survey","name":"Moment","submit_text":"Send","condition":"*","uuid":"moment",
        "unlock_after":[],"shuffle":false,"graph":{"display":false},
        "alerts":{"title":"Now","message":"A question.","start_offset":1,"duration":1,"times":[{"hours":9,"minutes":0}],
        "random":false,"random_interval":0,"sticky":false,"sticky_label":"","timeout":true,"timeout_after":30},
        "sections":[{"name":"S","shuffle":false,"questions":[
        {"id":"alone","type":"yesno","text":"Alone?","required":true,"yes_text":"Yes","no_text":"No"}]}]}]}
        """

    private static func seconds(_ loaded: LoadedStudy, _ context: ScheduleContext, _ world: SensorTimeline) throws
        -> Double
    {
        let panel = try Panel(
            buttons: Panel.buttons(named: ["previous", "select", "next"]), leds: [Panel.LED("status", .mono)],
            buzzer: .fixed, hasLoudspeaker: true, hasMicrophone: true)
        return 1
            / (try Stopwatch.rate {
                var simulation = try StudySimulation(
                    loaded, context: context, panel: panel, participant: Participant(), postURL: nil, days: days,
                    features: world)
                return try simulation.run { _ in }.lines.isEmpty ? 0 : 1
            })
    }

    private static func context(_ study: StudyProtocol) throws -> ScheduleContext {
        let seed = try EnrolmentSeed.numbered(1)
        let chance = Chance(enrolmentSeed: seed)
        let arm = ChanceDraw.condition(of: study, chance: chance)?.result
        let enrolment = try Enrolment(
            in: study, participant: ParticipantID("P"), seed: seed, at: Instant(seconds: 1_772_356_000), zone: .utc,
            condition: arm)
        return ScheduleContext(
            enrolment: enrolment, zone: .utc, chance: chance, facts: StudyFacts(condition: arm, variables: [:]))
    }

    private static func ruled(_ loaded: LoadedStudy) throws -> LoadedStudy {
        let task = loaded.study.tasks.first?.key ?? ""
        let feature = """
            [feature.move]
            from = "accelerometer"
            is = "agcounts"
            window = "30m"
            reduce = "sum-vm"

            """
        let text = (0..<rules).map { number in
            """
            [rule.r\(number)]
            task = "\(task)"
            when = "move < \(3000 + number) for 20m"
            rearm = "1h"
            available = ["no run open", "prompts on", "60m since prompt"]
            probability = 0.5
            outcome = { feature = "move", window = "+30m" }
            quiet = ["22:00-08:00"]

            """
        }
        let file = RulesFile(path: "rules.toml", bytes: Array((feature + text.joined()).utf8))
        return loaded.with(try file.read(for: loaded.study))
    }

    private static func minutes(from start: Instant) -> [SensorTimeline.Entry] {
        let first = Instant(seconds: start.seconds / 60 * 60 + 60)
        return (0..<days * 1440).map { minute in
            // Half an hour of rest in every two.
            let counts = Double(minute / 60 % 2 == 0 ? 40 : 400 + minute &* 7919 % 100)
            let epoch = FeatureEpoch(
                source: "accelerometer", start: first + .seconds(minute * 60), length: .seconds(60),
                columns: ["counts_vm"], values: [counts], coverage: 1)
            return .init(at: epoch.end, news: .epoch(epoch))
        }
    }
}
