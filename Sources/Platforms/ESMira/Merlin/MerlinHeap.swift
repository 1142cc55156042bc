// SPDX-License-Identifier: Apache-2.0

/// The memory of a `MerlinMachine`: the texts, lists and objects that a script makes, what its operators do with them,
/// and how many steps and bytes it has left. Nothing is freed before the run ends. Every operation pays by `step` or
/// `use` for its work, in steps and estimated bytes; the machine adds the place in the script to errors.
struct MerlinHeap {
    private let limits: MerlinLimits
    private var stepsLeft: Int
    private var memoryLeft: Int
    private var texts: [String]
    private var lists: [[MerlinCell]] = []
    private var objects: [[(name: Int32, value: MerlinCell)]] = []
    /// Names of fields, by the numbers that steps and objects use.
    private var names: [String]

    init(_ code: MerlinCode, _ limits: MerlinLimits) {
        self.limits = limits
        (stepsLeft, memoryLeft) = (limits.steps, limits.memory)
        (texts, names) = (code.texts, code.names)
    }

    // MARK: what is made

    mutating func list(_ elements: [MerlinCell]) throws(MerlinProblem) -> MerlinCell {
        try use(steps: elements.count, memory: 32 + 16 * elements.count)
        lists.append(elements)
        return .list(Int32(lists.count - 1))
    }

    mutating func text(of value: String) throws(MerlinProblem) -> MerlinCell {
        try use(memory: 16)
        texts.append(value)
        return .text(Int32(texts.count - 1))
    }

    mutating func object() throws(MerlinProblem) -> MerlinCell {
        try use(memory: 64)
        objects.append([])
        return .object(Int32(objects.count - 1))
    }

    // MARK: limits and errors

    /// Counts one operation of the script; throws if none is left.
    mutating func step() throws(MerlinProblem) {
        stepsLeft -= 1
        if stepsLeft < 0 { throw tooLong }
    }

    /// Subtracts work and memory; throws if one of them is used up.
    mutating func use(steps: Int = 0, memory: Int = 0) throws(MerlinProblem) {
        stepsLeft -= steps
        memoryLeft -= memory
        if stepsLeft < 0 { throw tooLong }
        if memoryLeft < 0 {
            throw wrong("the script makes more than \(limits.memory >> 20) MiB of texts and lists; it was stopped")
        }
    }

    private var tooLong: MerlinProblem {
        wrong("the script takes more than \(limits.steps) steps and was stopped; does it ever end?")
    }

    /// An error whose place the machine sets.
    func wrong(_ message: String) -> MerlinProblem {
        MerlinProblem(.running, MerlinPlace(line: 1, column: 1), message)
    }

    private var tooDeep: MerlinProblem {
        wrong("lists and objects are nested more than \(MerlinLimits.values) levels deep, or contain themselves")
    }

    /// Lets the message of a problem be written after a script has used up its limits.
    mutating func allowForMessages() { (stepsLeft, memoryLeft) = (10_000, 10_000) }

    // MARK: what is in it

    func count(ofList list: Int32) -> Int { lists[Int(list)].count }
    func count(ofObject object: Int32) -> Int { objects[Int(object)].count }
    func element(_ index: Int, ofList list: Int32) -> MerlinCell { lists[Int(list)][index] }
    func field(_ name: Int32, ofObject object: Int32) -> MerlinCell {
        objects[Int(object)].first { $0.name == name }?.value ?? .none
    }

    private func fieldsInOrder(_ object: Int) -> [(name: Int32, value: MerlinCell)] {
        MerlinFieldOrder.sorted(objects[object].map { (names[Int($0.name)], $0) })
    }

    mutating func element(of list: Int, _ index: MerlinCell) throws(MerlinProblem) -> MerlinCell {
        let indices = try indices(index, of: list)
        if indices.isSingle { return lists[list][indices.numbers[0]] }
        return try self.list(indices.numbers.map { lists[list][$0] })
    }

    mutating func set(_ value: MerlinCell, at index: MerlinCell, of list: Int) throws(MerlinProblem) {
        for place in try indices(index, of: list).numbers { lists[list][place] = value }
    }

    /// Zero-based positions within the list. Scripts count from 1, and numbers are cut to whole ones.
    private mutating func indices(
        _ index: MerlinCell, of list: Int
    ) throws(MerlinProblem) -> (isSingle: Bool, numbers: [Int]) {
        let count = lists[list].count
        if let single = try number(index) { return (true, [try place(single, in: count)]) }
        guard case .list(let several) = index else { throw wrong("an index must be a number or a list of numbers") }
        try use(steps: lists[Int(several)].count)
        var numbers: [Int] = []
        for element in lists[Int(several)] {
            guard let number = try number(element) else {
                throw wrong("a list of indices contains something that is not a number")
            }
            numbers.append(try place(number, in: count))
        }
        return (false, numbers)
    }

    private func place(_ number: Double, in count: Int) throws(MerlinProblem) -> Int {
        let place = MerlinNumber.int(number) - 1
        guard place >= 0, place < count else {
            throw wrong("the index \(MerlinNumber.text(number)) is outside of the list, which has \(count) elements")
        }
        return place
    }

    /// With `keeps` (an `init` block) a field that exists stays as it is.
    mutating func set(
        _ value: MerlinCell, field: Int32, of object: Int, keeps: Bool
    ) throws(MerlinProblem) {
        if let place = objects[object].firstIndex(where: { $0.name == field }) {
            if !keeps { objects[object][place].value = value }
            return
        }
        try use(memory: 32)
        objects[object].append((field, value))
    }

    /// From the first number to the second; a third is the step, which must be greater than 0.
    mutating func range(_ numbers: [Double]) throws(MerlinProblem) -> MerlinCell {
        let (start, end) = (numbers[0], numbers[1])
        var width = numbers.count == 3 ? numbers[2] : 1
        if width <= 0 { throw wrong("the step of a range must be greater than 0") }
        let goesDown = end < start
        if goesDown { width = -width }
        var (elements, next) = ([MerlinCell](), start)
        repeat {
            next = start + width * Double(elements.count)
            try use(steps: 1, memory: 16)
            elements.append(.number(next))
        } while goesDown ? next > end : next < end
        lists.append(elements)
        return .list(Int32(lists.count - 1))
    }

    // MARK: what outlives the run

    /// Copies a value that was kept onto the heap; `exported` copies one back. `depth` is how many lists and
    /// objects are around it.
    mutating func imported(_ value: MerlinValue, depth: Int = 0) throws(MerlinProblem) -> MerlinCell {
        switch value {
        case .none: return .none
        case .number(let number): return .number(number)
        case .text(let text):
            try use(memory: text.utf8.count)
            return try self.text(of: text)
        case .list(let values):
            guard depth < MerlinLimits.values else { throw tooDeep }
            var elements: [MerlinCell] = []
            for value in values { elements.append(try imported(value, depth: depth + 1)) }
            return try list(elements)
        case .object(let fields):
            guard depth < MerlinLimits.values else { throw tooDeep }
            var own: [(name: Int32, value: MerlinCell)] = []
            for field in fields {
                try use(memory: 32)
                let name = names.firstIndex(of: field.name) ?? names.count
                if name == names.count { names.append(field.name) }
                own.append((Int32(name), try imported(field.value, depth: depth + 1)))
            }
            objects.append(own)
            return .object(Int32(objects.count - 1))
        }
    }

    mutating func exported(_ value: MerlinCell, depth: Int = 0) throws(MerlinProblem) -> MerlinValue {
        try use(steps: 1, memory: 16)
        switch value {
        case .absent, .none, .function: return .none
        case .number(let number): return .number(number)
        case .text(let text):
            try use(memory: texts[Int(text)].utf8.count)
            return .text(texts[Int(text)])
        case .list(let list):
            guard depth < MerlinLimits.values else { throw tooDeep }
            var elements: [MerlinValue] = []
            for element in lists[Int(list)] { elements.append(try exported(element, depth: depth + 1)) }
            return .list(elements)
        case .object(let object):
            guard depth < MerlinLimits.values else { throw tooDeep }
            var fields: [(name: String, value: MerlinValue)] = []
            for field in objects[Int(object)] {
                fields.append((names[Int(field.name)], try exported(field.value, depth: depth + 1)))
            }
            return .object(fields)
        }
    }

    // MARK: operators

    mutating func binary(
        _ operation: MerlinOperation, _ left: MerlinCell, _ right: MerlinCell, depth: Int = 0
    ) throws(MerlinProblem) -> MerlinCell {
        switch (left, right) {
        case (.number(let a), .number(let b)): return try arithmetic(operation, a, b)
        case (.list, _) where operation == .concat: return try list(elements(left) + elements(right))
        case (.object, _), (.list, .object), (.number, .object):
            throw wrong("an object cannot be part of this operation")
        case (.text(let text), _): return try textual(operation, text, right, depth)
        case (_, .list) where operation == .concat: return try list(elements(left) + elements(right))
        case (.list, _), (_, .list): return try elementwise(operation, left, right, depth)
        case (.none, .none) where operation == .equal: return .number(1)
        case (.none, .none) where operation == .notEqual: return .number(0)
        case (.number, .text(let text)):
            guard let number = try number(right) else {
                throw wrong("the text \"\(texts[Int(text)].prefix(40))\" is not a number")
            }
            return try binary(operation, left, .number(number), depth: depth)
        default: return .none
        }
    }

    private func arithmetic(_ operation: MerlinOperation, _ a: Double, _ b: Double) throws(MerlinProblem) -> MerlinCell
    {
        switch operation {
        case .add: return .number(a + b)
        case .subtract: return .number(a - b)
        case .multiply: return .number(a * b)
        case .divide:
            if b == 0 { throw wrong("division by zero") }
            return .number(a / b)
        case .modulo: return .number(a.truncatingRemainder(dividingBy: b))
        case .equal: return .truth(a == b)
        case .notEqual: return .truth(a != b)
        case .less: return .truth(a < b)
        case .lessEqual: return .truth(a <= b)
        case .greater: return .truth(a > b)
        case .greaterEqual: return .truth(a >= b)
        case .combineAnd: return .truth(a != 0 && b != 0)
        case .combineOr: return .truth(a != 0 || b != 0)
        default: throw wrong("'..' needs a text or a list before it, not a number")
        }
    }

    /// A text that is a number acts as one; another can be joined and compared.
    private mutating func textual(
        _ operation: MerlinOperation, _ left: Int32, _ right: MerlinCell, _ depth: Int
    ) throws(MerlinProblem) -> MerlinCell {
        if operation != .concat, let number = try number(.text(left)) {
            return try binary(operation, .number(number), right, depth: depth)
        }
        switch operation {
        case .concat, .add:
            var joined = ""
            try write(.text(left), to: &joined, 0)
            try write(right, to: &joined, 0)
            return try text(of: joined)
        case .equal: return .truth(try isSame(left, right))
        case .notEqual: return .truth(try !isSame(left, right))
        default: throw wrong("the text \"\(texts[Int(left)].prefix(40))\" is not a number")
        }
    }

    private mutating func isSame(_ left: Int32, _ right: MerlinCell) throws(MerlinProblem) -> Bool {
        let other = if case .text(let own) = right { texts[Int(own)] } else { try text(right) }
        try use(steps: other.utf8.count / 64)
        return other.utf8.elementsEqual(texts[Int(left)].utf8)
    }

    /// Element by element; the shorter list begins again at its end.
    private mutating func elementwise(
        _ operation: MerlinOperation, _ left: MerlinCell, _ right: MerlinCell, _ depth: Int
    ) throws(MerlinProblem) -> MerlinCell {
        guard depth < MerlinLimits.values else { throw tooDeep }
        let (a, b) = (elements(left), elements(right))
        guard a.isEmpty == b.isEmpty else { throw wrong("an empty list has nothing to go with the other's elements") }
        var results: [MerlinCell] = []
        for index in 0..<max(a.count, b.count) {
            try use(steps: 1)
            results.append(try binary(operation, a[index % a.count], b[index % b.count], depth: depth + 1))
        }
        return try list(results)
    }

    /// A value that is not a list counts as a list of itself.
    func elements(_ value: MerlinCell) -> [MerlinCell] {
        guard case .list(let list) = value else { return [value] }
        return lists[Int(list)]
    }

    mutating func unary(
        _ operation: MerlinOperation, _ value: MerlinCell, depth: Int = 0
    ) throws(MerlinProblem) -> MerlinCell {
        switch value {
        case .number(let number): return operation == .minus ? .number(-number) : .truth(number == 0)
        case .list(let list):
            guard depth < MerlinLimits.values else { throw tooDeep }
            var results: [MerlinCell] = []
            for element in lists[Int(list)] {
                try use(steps: 1)
                results.append(try unary(operation, element, depth: depth + 1))
            }
            return try self.list(results)
        case .text(let text):
            guard let number = try number(value) else {
                throw wrong("the text \"\(texts[Int(text)].prefix(40))\" is not a number")
            }
            return try unary(operation, .number(number), depth: depth)
        case .object: throw wrong("an object cannot be part of this operation")
        case .absent, .none, .function: return .none
        }
    }

    /// A number, a text that is one, or a list of one such element.
    mutating func number(_ value: MerlinCell) throws(MerlinProblem) -> Double? {
        var value = value
        for _ in 0...MerlinLimits.values {
            switch value {
            case .number(let number): return number
            case .text(let text):
                try use(steps: texts[Int(text)].utf8.count / 64)
                return MerlinNumber.parse(texts[Int(text)])
            case .list(let list) where lists[Int(list)].count == 1: value = lists[Int(list)][0]
            default: return nil
            }
        }
        throw tooDeep
    }

    mutating func isTrue(_ value: MerlinCell, _ depth: Int = 0) throws(MerlinProblem) -> Bool {
        switch value {
        case .number(let number): return number != 0
        case .text(let text):
            if let number = try number(value) { return number != 0 }
            return texts[Int(text)].unicodeScalars.contains { !Self.isBlank($0) }
        case .list(let list):
            guard depth < MerlinLimits.values else { throw tooDeep }
            for element in lists[Int(list)] {
                try use(steps: 1)
                if try !isTrue(element, depth + 1) { return false }
            }
            return true
        case .object(let object): return !objects[Int(object)].isEmpty
        case .absent, .none, .function: return false
        }
    }

    mutating func text(_ value: MerlinCell) throws(MerlinProblem) -> String {
        var text = ""
        try write(value, to: &text, 0)
        return text
    }

    private mutating func write(_ value: MerlinCell, to text: inout String, _ depth: Int) throws(MerlinProblem) {
        switch value {
        case .absent, .none, .function: break
        case .number(let number): try append(MerlinNumber.text(number), to: &text)
        case .text(let own): try append(texts[Int(own)], to: &text)
        case .list(let list):
            guard depth < MerlinLimits.values else { throw tooDeep }
            for (index, element) in lists[Int(list)].enumerated() {
                if index > 0 { try append(", ", to: &text) }
                try use(steps: 1)
                try write(element, to: &text, depth + 1)
            }
        case .object(let object):
            guard depth < MerlinLimits.values else { throw tooDeep }
            var separator = "{"
            for field in fieldsInOrder(Int(object)) {
                try append(separator + names[Int(field.name)] + ": ", to: &text)
                try write(field.value, to: &text, depth + 1)
                separator = ", "
            }
            try append(separator == "{" ? "{}" : "}", to: &text)
        }
    }

    private mutating func append(_ piece: String, to text: inout String) throws(MerlinProblem) {
        try use(steps: piece.utf8.count / 64, memory: piece.utf8.count)
        text += piece
    }

    /// What Kotlin takes for white space: Unicode's separators, tab to carriage return, and the
    /// four separators of ASCII.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x1C...0x20: return true
        case 0...0x7F: return false
        default: break
        }
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}
