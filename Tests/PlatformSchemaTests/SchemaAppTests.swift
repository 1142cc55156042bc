// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import PlatformFixtures
import Study
import Testing

@testable import PlatformSchema

/// What the real app does with files that are not as its README has them:
/// `Recordings/schema-app.json` holds what its own code (schema-app/schema, commit 45fd178,
/// `study-tasks.service.ts` and `survey.page.ts`) made of generated protocols under node.
@Suite struct SchemaAppTests {
    private typealias Object = [String: Any]

    private func table(_ name: String) throws -> [Object] {
        let path = #filePath.replacing("SchemaAppTests.swift", with: "Recordings/schema-app.json")
        let root = try JSONSerialization.jsonObject(with: Data(try #require(FileBytes.read(path)))) as? Object
        return try #require(root?[name] as? [Object])
    }

    private func decode(_ conditions: [Any], _ modules: [Object]) throws -> StudyProtocol {
        let root: Object = [
            "properties": ["study_id": "S", "post_url": "https://example.org/p", "conditions": conditions],
            "modules": modules,
        ]
        return try SchemaReader().decode(StudySource(Array(try JSONSerialization.data(withJSONObject: root))))
    }

    private func module(_ alerts: Object, _ more: Object = [:], sections: [Object] = []) -> Object {
        let own: Object = ["name": "M", "condition": "*", "alerts": alerts, "sections": sections]
        return own.merging(more) { $1 }
    }

    private static var daily: Object {
        [
            "start_offset": 0, "duration": 1, "times": [["hours": 9, "minutes": 0]],
        ]
    }

    @Test func tasksAreDueWhenTheAppHasThemDue() throws {
        for row in try table("schedules") {
            let study = try decode(["A"], [module(try #require(row["alerts"] as? Object))])
            let task = try #require(study.tasks.first)
            let due = task.schedule.occurrences(of: task, in: SchemaScheduleTests.context("A")).map {
                String($0.due.rfc3339(in: .utc).prefix(16))
            }
            #expect(due == row["due"] as? [String], "\(row)")
        }
    }

    @Test func modulesAreUnlockedByTheIDsThatTheAppLooksFor() throws {
        for row in try table("locks") {
            let modules = try #require(row["modules"] as? [Object])
            let study = try decode(["A"], modules.map { module(Self.daily, $0) })
            let completed = try #require(row["completed"] as? [Int])
            let facts = StudyFacts(completedTasks: Set(completed.map { study.tasks[$0].key }))
            #expect(study.tasks.map { $0.unlocked.holds(facts) } == row["unlocked"] as? [Bool], "\(row)")
        }
    }

    @Test func modulesBelongToTheArmsThatTheAppGivesThemTo() throws {
        for row in try table("arms") where !(row["condition"] is NSNull) {
            var own = module(Self.daily)
            own["condition"] = row["condition"]
            let study = try decode(try #require(row["conditions"] as? [Any]), [own])
            let task = try #require(study.tasks.first)
            let arms: [String?] = study.conditions.isEmpty ? [nil] : study.conditions
            let scheduled = arms.map { arm in
                (task.condition == nil || task.condition == arm)
                    && !task.schedule.occurrences(of: task, in: SchemaScheduleTests.context(arm)).isEmpty
            }
            #expect(scheduled == row["scheduled"] as? [Bool], "\(row)")
        }
    }

    @Test func questionsAreShownAndAnsweredAsInTheApp() throws {
        for row in try table("surveys") {
            let sections = try #require(row["sections"] as? [[Object]]).map {
                ["name": "S", "questions": $0] as Object
            }
            let study = try decode(["A"], [module(Self.daily, sections: sections)])
            let steps = try #require(study.tasks.first).content.steps
            func shown(_ answers: Answers) -> [Bool] {
                steps.map { $0.visibleWhen?.holds(StudyFacts(answers: answers)) ?? true }
            }
            #expect(shown([:]) == row["opened"] as? [Bool], "\(row)")
            var answers: Answers = [:]
            for case let given as [Any] in try #require(row["answers"] as? [Any]) {
                let place = try #require(given.first as? Int)
                answers[steps[place].key] = try answer(try #require(given.last as? Object))
            }
            #expect(shown(answers) == row["shown"] as? [Bool], "\(row)")
            let sent = try wire(answers, study, steps)
            #expect(sent == row["responses"] as? NSDictionary, "\(row) \(sent)")
        }
    }

    private func answer(_ given: Object) throws -> AnswerValue {
        if let ticked = given["choices"] as? [String] { return .choices(ticked) }
        if let text = given["text"] as? String { return .text(text) }
        if given["boolean"] != nil { return .boolean(try #require(given["boolean"] as? Bool)) }
        return .number(try #require(given["number"] as? Double))
    }

    private func wire(_ answers: Answers, _ study: StudyProtocol, _ steps: [Step]) throws -> NSDictionary {
        let context = SchemaScheduleTests.context("A")
        let due = context.enrolment.instant
        let occurrence = Occurrence(
            id: "1", task: study.tasks[0].key, taskIndex: 0, number: 101, local: context.enrolment.local, due: due,
            expires: nil)
        let submission = Submission(
            task: study.tasks[0].key, occurrence: occurrence, order: steps.map(\.key), answers: answers, drawn: [],
            submitted: due)
        let wire = WireContext(study: study, enrolment: context.enrolment, zone: .utc, postURL: nil)
        let text = study.writer.answers(submission, in: wire).text
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
    }
}
