// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformSage

/// Studies and runs of them, without a panel.
enum SageSample {
    static func study(_ files: [String: String]) throws -> StudyProtocol {
        let files = files.sorted { $0.key < $1.key }.map { StudySource.File(name: $0.key, bytes: Array($0.value.utf8)) }
        return try SageReader().decode(StudySource(files: files))
    }

    /// What archives say of the first task.
    static func source(of study: StudyProtocol) throws -> SageTask {
        let writer = try #require(study.writer as? SageWriter)
        return try #require(writer.tasks[study.tasks[0].key])
    }

    /// An assessment of these steps; `head` are further members of it.
    static func task(_ steps: String, head: String = "") -> String {
        #"{"type":"assessment","identifier":"T",\#(head)"steps":[\#(steps)]}"#
    }

    static func problems(_ text: String) -> [StudyFormatError.Problem] {
        do {
            _ = try study(["t.json": text])
            return []
        } catch let error as StudyFormatError { return error.problems } catch { return [] }
    }

    /// The files below `sage/`; nil where they are not there.
    static func fixture(_ names: [String]) -> StudySource? {
        let files = names.compactMap { name in
            Fixture.read(Fixture.path("sage/" + name)).map {
                StudySource.File(name: String(name.split(separator: "/").last ?? ""), bytes: $0)
            }
        }
        return files.count == names.count ? StudySource(files: files) : nil
    }

    static var hasFixtures: Bool { fixture(["catalog-v4/SimpleSurvey.json"]) != nil }

    static func opened(_ task: StudyTask, seed: UInt8 = 1) -> OpenedTask {
        OpenedTask(task, opening: 1, chance: Chance(seed: [seed], digest: testDigest))
    }

    /// The keys of the steps presented, in order, each answered as written; 60 of them at most.
    static func walk(
        _ task: StudyTask, _ answers: [String: AnswerValue] = [:], seed: UInt8 = 1, facts: StudyFacts = StudyFacts()
    ) -> [String] {
        var navigator = Navigator(opened(task, seed: seed), facts: facts)
        var told: [String] = []
        var move = navigator.start()
        while told.count < 60 {
            guard case .step(let step) = move else { break }
            told.append(step.key)
            move = navigator.answer(answers[step.key])
        }
        return told
    }

    /// A submission of a walk, a step every two seconds.
    static func submission(
        _ task: StudyTask, _ answers: [String: AnswerValue], seed: UInt8 = 1
    ) -> Submission {
        let opened = opened(task, seed: seed)
        let begin = Instant(seconds: 1_795_000_000)
        let visits = walk(task, answers, seed: seed).enumerated().map { index, key in
            let presented = begin + .seconds(2 * index)
            return RunCourse.Visit(
                step: key, times: StepTimes(presented: presented, answered: presented + .seconds(1)))
        }
        let end = begin + .seconds(2 * visits.count)
        let occurrence = Occurrence(
            id: "\(task.key)/open", task: task.key, taskIndex: task.index, number: 1,
            local: Zone.utc.local(begin), due: begin, expires: nil)
        let told = Set(visits.map(\.step))
        return Submission(
            task: task.key, occurrence: occurrence, order: opened.order,
            answers: answers.filter { told.contains($0.key) },
            drawn: opened.presets, submitted: end,
            course: RunCourse(id: "e-1", began: begin, ended: end, visits: visits, recorded: []))
    }

    static func context(_ study: StudyProtocol, zone: Zone = .utc) -> WireContext {
        WireContext(study: study, enrolment: Joined.context(zone: zone).enrolment, zone: zone, postURL: nil)
    }
}
