// SPDX-License-Identifier: Apache-2.0
import Base
import MerlinFuzz
import PlatformFixtures
import Study

@testable import PlatformESMira

/// All that a script does, in one text, as `MerlinFact` has it.
enum MerlinAccount {
    static func of(_ source: String) -> String {
        do throws(MerlinProblem) {
            let run = try MerlinScript(source).run(in: Evening())
            let head = run.result.map { "ok \($0.isTrue ? 1 : 0) \($0.text)" } ?? "run \(run.problem?.place.line ?? 0)"
            let rest = text(run.globals) + "\n" + run.effects.map(text).joined()
            return rest == "{}\n" ? head : head + "\n" + rest
        } catch {
            return "\(error.kind == .scanning ? "scan" : "parse") \(error.place.line)"
        }
    }

    private static func text(_ value: MerlinValue) -> String {
        switch value {
        case .none: return ""
        case .number(let number): return MerlinNumber.text(number)
        case .text(let text): return text
        case .list(let values): return values.map(text).joined(separator: ", ")
        case .object(let fields):
            let sorted = MerlinFieldOrder.sorted(fields.map { ($0.name, $0) })
            return "{" + sorted.map { "\($0.name): \(text($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    private static func text(_ effect: MerlinEffect) -> String {
        switch effect {
        case .virtualItem(let name, let value): "|set \(name)=\(value)"
        case .questionnaire(let id, let message, let timeout, let isShown):
            "|told \(id)" + (isShown ? "|ask \(id) \(timeout) \(message)" : "")
        case .notification(let text): "|notify \(text)"
        case .message(let text): "|message \(text)"
        case .log(let text): "|log \(text)"
        }
    }
}

/// The scripts of the studies that lie beside the project.
enum MerlinFixtures {
    static let areThere: Bool = {
        if !scripts.isEmpty { return true }
        print("SKIPPED: ../shared/fixtures/esmira is not there")
        return false
    }()

    static let scripts: [String] = [
        "tutorial-merlin-scripting-examples.study.json", "own-study-4711.collection.json",
    ].flatMap { name in
        Fixture.read(Fixture.path("esmira/" + name)).flatMap { try? JSONNode($0) }.map(scripts) ?? []
    }

    private static func scripts(_ node: JSONNode) -> [String] {
        switch node.content {
        case .array(let nodes): return nodes.flatMap(scripts)
        case .object(let members):
            return members.flatMap { member -> [String] in
                if ["relevance", "textScript", "scriptFilter", "endScriptBlock"].contains(member.key),
                    case .string(let script) = member.value.content, !script.isEmpty
                {
                    return [script]
                }
                return scripts(member.value)
            }
        default: return []
        }
    }
}
