// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Testing
import Times

@testable import StudyFormats

/// Studies come from networks: whatever they hold, reading ends with a study or with an explanation.
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
            _ = try? StudyCatalog.decode(StudySource(bytes))
        }
    }

    static let odd: [JSONNode.Content] = [
        .null, .boolean(true), .boolean(false), .number("-1"), .number("1e999"), .number("0.5"),
        .number("99999999999999999999"), .string(""), .string(">"), .string("9223372036854775808"), .array([]),
        .object([]),
        .array([JSONNode(content: .null, line: 1)]),
    ]

    /// The tree with its n-th value (counted in depth) replaced; `count` is lowered by the values passed.
    static func replacing(_ node: JSONNode, _ count: inout Int, by content: JSONNode.Content) -> JSONNode {
        defer { count -= 1 }
        if count == 0 { return JSONNode(content: content, line: node.line) }
        count -= 1
        switch node.content {
        case .array(let elements):
            return JSONNode(content: .array(elements.map { replacing($0, &count, by: content) }), line: node.line)
        case .object(let members):
            let renewed = members.map { JSONNode.Member(key: $0.key, value: replacing($0.value, &count, by: content)) }
            return JSONNode(content: .object(renewed), line: node.line)
        default: return node
        }
    }

    @Test func oddValuesAnywhereAreTakenOrExplained() throws {
        let root = try JSONNode(Self.original)
        var generator = SplitMix64(seed: 3)
        var refused = 0
        for _ in 0..<1000 {
            var count = generator.below(400)
            let tree = Self.replacing(root, &count, by: Self.odd[generator.below(Self.odd.count)])
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
    }
}
