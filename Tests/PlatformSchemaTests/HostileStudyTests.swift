// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformSchema

/// Studies come from networks: whatever they hold, reading ends with a study or
/// with an explanation.
@Suite struct HostileStudyTests {
    static let original = ProtocolText(
        module: #""uuid":"u","condition":"*","unlock_after":["u"],"#, questions: SchemaWireTests.questions
    ).bytes

    @Test func brokenBytesNeverTrap() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<1000 {
            var bytes = Self.original
            for _ in 0...generator.below(3) { bytes[generator.below(bytes.count)] = UInt8(generator.below(256)) }
            if generator.below(4) == 0 { bytes.removeLast(generator.below(bytes.count)) }
            _ = try? SchemaReader().decode(StudySource(bytes))
        }
    }

    /// Alerts as schema has them, and both kinds of momenTUM's designer of 2025.
    @Test(arguments: [
        "",
        #""scheduleMode":"relative","offsetDays":3,"offsetTime":"09:00","repeat":"monthly","interval":2,"repeatCount":5,"times":["10:00"],"random":true,"randomInterval":9,"timeout":true,"timeoutAfter":60000"#,
        #""scheduleMode":"absolute","startDateTime":"2026-03-31T09:00:00Z","until":"2027-01-01","repeat":"yearly","interval":2,"times":["10:00"],"sticky":true"#,
    ])
    func oddValuesAnywhereAreTakenOrExplained(_ alerts: String) throws {
        let later = ProtocolText(
            alerts: alerts, module: #""uuid":"u","condition":"*","unlock_after":["u"],"#,
            questions: SchemaWireTests.questions)
        let root = try JSONNode(alerts.isEmpty ? Self.original : later.bytes)
        var generator = SplitMix64(seed: 3)
        var refused = 0
        for _ in 0..<1000 {
            var count = generator.below(400)
            let tree = OddJSON.replacing(root, &count, by: OddJSON.odd[generator.below(OddJSON.odd.count)])
            var decoder = SchemaDecoder(JSONPlace(root: tree))
            do {
                let study = try decoder.study()
                let context = SchemaScheduleTests.context("A")
                for task in study.tasks { _ = task.schedule.occurrences(of: task, in: context) }
            } catch {
                refused += 1
                #expect(!error.problems.isEmpty)
            }
        }
        #expect(refused > 50)
    }

    @Test func studyOfTooManyTasksIsRefused() throws {
        let times = (0..<60).map { "{\"hours\":1,\"minutes\":\($0)}" }.joined(separator: ",")
        let text = ProtocolText(alerts: "\"start_offset\":0,\"duration\":36500,\"times\":[\(times)]")
        let error = try #require(throws: StudyFormatError.self) { try text.decode() }
        #expect(error.problems.map(\.found) == ["2190000"])
    }

    @Test func sizeAloneCostsLittle() throws {
        let question = { (id: Int) in
            "{\"id\":\"\(id)\",\"type\":\"media\",\"subtype\":\"image\",\"src\":\"x\",\"required\":1}"
        }
        let alerts = "\"alerts\":{\"duration\":1,\"times\":[]}"
        let modules = (0..<200).map { index in
            ",{\"uuid\":\"\(index)\",\(alerts),\"sections\":[{\"questions\":["
                + (0..<40).map(question).joined(separator: ",") + "]}]}"
        }
        let study = try ProtocolText(more: modules.joined()).decode()
        #expect(study.tasks.count == 201 && study.remarks.count > 20_000)
        let html = String(repeating: "<a", count: 100_000)
        #expect(PlainText(html: html).text == html)
        let many = (0..<1000).map { _ in ",{}" }.joined()
        let error = try #require(throws: StudyFormatError.self) { try ProtocolText(more: many).decode() }
        #expect(error.problems.map(\.found) == ["1001"])
        let most = (0..<999).map { ",{\"uuid\":\"\($0)\",\(alerts),\"sections\":[]}" }.joined()
        #expect(try ProtocolText(more: most).decode().tasks.count == 1000)
    }
}
