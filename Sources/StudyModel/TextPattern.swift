// SPDX-License-Identifier: Apache-2.0

/// A regular expression of the kind that studies bring, matched without backtracking.
///
/// It knows characters, `.`, classes with ranges, `\d \w \s` and their opposites, groups, `|`, `* + ? {n} {n,} {n,m}` (greedy, lazy or
/// possessive: the same texts are found) and the anchors `^` and `$`. Look-around, back references, properties and options
/// are refused, not guessed at. Time grows with the product of the lengths of pattern and text (Thompson 1968).
package struct TextPattern: Sendable, Hashable {
    /// As the study has it.
    private let source: String
    private let program: [Instruction]

    /// The longest pattern that is read, in characters.
    private static let longest = 500
    /// More instructions than any pattern needs that a study should have.
    private static let mostInstructions = 4_000

    /// Reads a pattern; throws what cannot be read, with its place.
    package init(_ source: String) throws(TextPatternError) {
        self.source = source
        guard source.unicodeScalars.count <= Self.longest else {
            throw TextPatternError(place: Self.longest + 1, problem: "it is longer than \(Self.longest) characters")
        }
        var parser = TextPatternParser(scalars: Array(source.unicodeScalars))
        let node = try parser.all()
        var program: [Instruction] = []
        try Self.compile(node, into: &program)
        program.append(.found)
        self.program = program
    }

    /// Whether it is found anywhere in the text, as the platforms' apps look for it.
    package func isFound(in text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var threads = Threads(count: program.count)
        for place in 0...scalars.count {
            if add(0, to: &threads, at: place, of: scalars.count) { return true }
            guard place < scalars.count else { return false }
            var next = Threads(count: program.count)
            for thread in threads.order {
                guard case .set(let set) = program[thread], set.contains(scalars[place]) else { continue }
                if add(thread + 1, to: &next, at: place + 1, of: scalars.count) { return true }
            }
            threads = next
        }
        return false
    }

    /// Follows what takes no character; true where the end of the pattern is reached.
    private func add(_ start: Int, to threads: inout Threads, at place: Int, of count: Int) -> Bool {
        var open = [start]
        while let thread = open.popLast() {
            guard threads.insert(thread) else { continue }
            switch program[thread] {
            case .found: return true
            case .set: break
            case .jump(let target): open.append(target)
            case .fork(let first, let second): open += [second, first]
            case .start: if place == 0 { open.append(thread + 1) }
            case .end: if place == count { open.append(thread + 1) }
            }
        }
        return false
    }
}

/// What is wrong with a pattern.
package struct TextPatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Of the character it was found at, from 1.
    private let place: Int
    /// One clause.
    private let problem: String

    package init(place: Int, problem: String) {
        self.place = place
        self.problem = problem
    }

    /// Place and problem.
    package var description: String { "at character \(place): \(problem)" }
}

/// One step of a compiled pattern.
private enum Instruction: Sendable, Hashable {
    case set(ScalarSet)
    case jump(Int)
    case fork(Int, Int)
    case start, end, found
}

/// Places in the program, each once.
private struct Threads {
    private(set) var order: [Int] = []
    private var isIn: [Bool]

    init(count: Int) { isIn = Array(repeating: false, count: count) }

    mutating func insert(_ thread: Int) -> Bool {
        guard !isIn[thread] else { return false }
        isIn[thread] = true
        order.append(thread)
        return true
    }
}

extension TextPattern {
    private static func compile(_ node: TextPatternNode, into program: inout [Instruction]) throws(TextPatternError) {
        guard program.count < mostInstructions else {
            throw TextPatternError(place: 1, problem: "too many repetitions to be matched")
        }
        switch node {
        case .set(let set): program.append(.set(set))
        case .start: program.append(.start)
        case .end: program.append(.end)
        case .sequence(let nodes): for node in nodes { try compile(node, into: &program) }
        case .either(let nodes): try compile(either: nodes, into: &program)
        case .repeated(let node, let least, let most): try compile(node, least, most, into: &program)
        }
    }

    private static func compile(
        either nodes: [TextPatternNode], into program: inout [Instruction]
    ) throws(TextPatternError) {
        var ends: [Int] = []
        for (index, node) in nodes.enumerated() {
            guard index < nodes.count - 1 else {
                try compile(node, into: &program)
                continue
            }
            let fork = program.count
            program.append(.jump(0))
            try compile(node, into: &program)
            ends.append(program.count)
            program.append(.jump(0))
            program[fork] = .fork(fork + 1, program.count)
        }
        for end in ends { program[end] = .jump(program.count) }
    }

    private static func compile(
        _ node: TextPatternNode, _ least: Int, _ most: Int?, into program: inout [Instruction]
    ) throws(TextPatternError) {
        for _ in 0..<least {
            let count = program.count
            try compile(node, into: &program)
            // A repeated nothing is nothing, however often.
            if program.count == count { break }
        }
        guard let most else {
            let fork = program.count
            program.append(.jump(0))
            try compile(node, into: &program)
            program.append(.jump(fork))
            program[fork] = .fork(fork + 1, program.count)
            return
        }
        var forks: [Int] = []
        for _ in least..<most {
            forks.append(program.count)
            program.append(.jump(0))
            try compile(node, into: &program)
        }
        for fork in forks { program[fork] = .fork(fork + 1, program.count) }
    }
}
