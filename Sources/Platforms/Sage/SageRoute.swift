// SPDX-License-Identifier: Apache-2.0
import Study

/// Turns the rules of a task's rows, which name steps and sections, into jumps and detours between steps;
/// `SageTaskReader` calls `steps` when all rows are there.
///
/// A row is a step with its rules, a node a step or section with its range of rows, a way a condition and
/// the row to go to.
struct SageRoute {
    let rows: [SageRow]
    let nodes: [SageNode]
    let hands: SageHands?

    /// An index in `rows`; `rows.count` = the end.
    private typealias RowIndex = Int
    private typealias Way = (when: (any Condition)?, to: RowIndex)

    /// Every step with its jumps (taken after it) and detours (taken instead of it). Rules that lead nowhere
    /// or never end are problems. A hidden row's detours lead where the row itself would lead.
    func steps(_ findings: inout Findings) -> [Step] {
        // By row: where its own rules lead, in the order in which they are looked at.
        var ways: [[Way]] = []
        for index in rows.indices {
            ways.append(exits(of: index, rows[index].exits, &findings) + handExits(of: index))
        }
        var steps: [Step] = []
        // By row: every row that may come next, for `checkEnds`.
        var edges: [[RowIndex]] = []
        for (index, row) in rows.enumerated() {
            var step = row.step
            let onward = ways[index].contains { $0.when == nil } ? ways[index] : ways[index] + [(nil, index + 1)]
            let instead = exits(of: index, row.replacements, &findings)
            step.jumps = jumps(ways[index], when: nil)
            step.detours = instead.map { Jump(when: $0.when ?? Always(), to: destination($0.to)) }
            for hidden in row.hides { step.detours += jumps(onward, when: hidden is Always ? nil : hidden) }
            steps.append(step)
            edges.append(onward.map(\.to) + instead.map(\.to))
        }
        checkEnds(edges, &findings)
        return steps
    }

    private func destination(_ row: RowIndex) -> Jump.Destination {
        row < rows.count ? .step(rows[row].step.key) : .end
    }

    private func jumps(_ ways: [Way], when hidden: (any Condition)?) -> [Jump] {
        ways.map { way in
            let parts = [hidden, way.when].compactMap(\.self)
            return Jump(when: parts.isEmpty ? Always() : AllOf(parts), to: destination(way.to))
        }
    }

    /// An unconditional exit ends the list: those after it are never looked at.
    private func exits(of index: Int, _ exits: [SageExit], _ findings: inout Findings) -> [Way] {
        var ways: [Way] = []
        for exit in exits {
            guard let to = target(of: exit, from: index) else {
                findings.expected(
                    "the identifier of a step or section, or exit, nextSection, nextStep, beginning", at: exit.place,
                    found: "\"\(exit.to)\", which leads nowhere")
                continue
            }
            ways.append((exit.when, to))
            if exit.when == nil { break }
        }
        return ways
    }

    /// Where an exit leads from there; nil where it leads nowhere.
    private func target(of exit: SageExit, from index: Int) -> RowIndex? {
        switch exit.to {
        case "exit": return rows.count
        case "beginning": return 0
        case "nextStep": return index + 1
        case "nextSection", SageRuleReader.behind: return behind(exit.sections, from: index)
        default: break
        }
        var sections = exit.sections
        while true {
            if let node = nodes.first(where: { $0.identifier == exit.to && $0.sections == sections }) {
                return node.rows.lowerBound
            }
            guard !sections.isEmpty else { return nil }
            sections.removeLast()
        }
    }

    /// The first row behind the innermost of those sections; outside of all sections, the end.
    private func behind(_ sections: [String], from index: Int) -> RowIndex {
        guard let last = sections.last else { return rows.count }
        let node = nodes.first { $0.identifier == last && $0.sections == Array(sections.dropLast()) }
        return node?.rows.upperBound ?? rows.count
    }

    /// The sections `left` and `right` in the order that was chosen or drawn. Sources:
    /// `MCTSkippableSectionStepObject.swift`, `MCTHandSelectionStepObject.swift`,
    /// `TwoHandNavigator`.
    private func handExits(of index: Int) -> [Way] {
        let inFile = (hands?.sections ?? [:]).sorted { $0.value.lowerBound < $1.value.lowerBound }
        guard let hands, inFile.count == 2, inFile[0].value.upperBound == inFile[1].value.lowerBound else { return [] }
        let (first, second) = (inFile[0], inFile[1])
        func ifHands(_ order: [String], _ to: RowIndex) -> Way { (SageHandsAre(hands: hands, order: order), to) }
        // Jumps where the order is not that of the file: before the first section, after it, after the second.
        switch index + 1 {
        case first.value.lowerBound:
            return [
                ifHands([second.key], second.value.lowerBound),
                ifHands([second.key, first.key], second.value.lowerBound),
            ]
        case first.value.upperBound:
            return [
                ifHands([first.key], second.value.upperBound),
                ifHands([second.key, first.key], second.value.upperBound),
            ]
        case second.value.upperBound: return [ifHands([second.key, first.key], first.value.lowerBound)]
        default: return []
        }
    }

    /// Every step that can be reached must have a way to the end: rules in a circle would
    /// never let a run end.
    private func checkEnds(_ edges: [[RowIndex]], _ findings: inout Findings) {
        guard findings.problems.isEmpty, !rows.isEmpty else { return }
        let reached = Self.closure(of: [0], edges)
        var back = [[RowIndex]](repeating: [], count: rows.count + 1)
        for (index, targets) in edges.enumerated() { for target in targets { back[target].append(index) } }
        let ending = Self.closure(of: [rows.count], back)
        let circle = rows.indices.filter { reached.contains($0) && !ending.contains($0) }
        if let lost = circle.first(where: { !rows[$0].exits.isEmpty }) ?? circle.first {
            let exit = rows[lost].exits.first?.place ?? rows[lost].place
            findings.expected(
                "rules that lead to the end", at: exit,
                found: "a loop without a way out at \"\(rows[lost].step.key)\"")
        }
        for index in rows.indices where !reached.contains(index) && rows[index].step.drawGroup == nil {
            findings.warn("no rule leads to this step: it is never shown", at: rows[index].place)
        }
    }

    private static func closure(of start: [RowIndex], _ edges: [[RowIndex]]) -> Set<RowIndex> {
        var found = Set(start)
        var left = start
        while let row = left.popLast() {
            guard edges.indices.contains(row) else { continue }
            for next in edges[row] where found.insert(next).inserted { left.append(next) }
        }
        return found
    }
}
