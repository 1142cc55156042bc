// SPDX-License-Identifier: Apache-2.0

extension MerlinMachine {
    mutating func container(_ step: MerlinStep) throws(MerlinProblem) {
        switch step.operation {
        case .list:
            let elements = Array(stack.suffix(Int(step.operand)))
            stack.removeLast(elements.count)
            stack.append(try list(elements))
        case .object:
            try use(memory: 64)
            stack.append(.object(Int32(objects.count)))
            objects.append([])
        case .checkList:
            guard case .list? = stack.last else { throw wrong("'[' needs a list before it") }
        case .checkObject:
            guard case .object? = stack.last else { throw wrong("only an object has fields that can be set") }
        case .element:
            let index = stack.removeLast()
            guard case .list(let list)? = stack.popLast() else { return }
            stack.append(try element(of: Int(list), index))
        case .setElement:
            let value = stack.removeLast()
            let index = stack.removeLast()
            guard case .list(let list)? = stack.popLast() else { return }
            if !isInitialising { try set(value, at: index, of: Int(list)) }
        case .field:
            guard case .object(let object)? = stack.popLast() else { throw wrong("only an object has fields") }
            stack.append(objects[Int(object)].first { $0.name == step.operand }?.value ?? .none)
        case .setField:
            let value = stack.removeLast()
            guard case .object(let object)? = stack.popLast() else { return }
            try set(value, field: step.operand, of: Int(object))
        case .rangeBound:
            guard let number = try number(stack.removeLast()) else {
                throw wrong("the \(["start", "end", "step"][Int(step.operand)]) of a range must be a number")
            }
            stack.append(.number(number))
        default: try range(Int(step.count))
        }
    }

    private mutating func element(of list: Int, _ index: MerlinCell) throws(MerlinProblem) -> MerlinCell {
        let indices = try indices(index, of: list)
        if indices.isSingle { return lists[list][indices.numbers[0]] }
        return try self.list(indices.numbers.map { lists[list][$0] })
    }

    private mutating func set(_ value: MerlinCell, at index: MerlinCell, of list: Int) throws(MerlinProblem) {
        for place in try indices(index, of: list).numbers { lists[list][place] = value }
    }

    /// From 1, cut to whole numbers; all of them within the list.
    private mutating func indices(
        _ index: MerlinCell, of list: Int
    ) throws(MerlinProblem) -> (isSingle: Bool, numbers: [Int]) {
        let count = lists[list].count
        if let single = try number(index) { return (true, [try place(single, in: count)]) }
        guard case .list(let several) = index else { throw wrong("an index must be a number or a list of numbers") }
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

    private mutating func set(_ value: MerlinCell, field: Int32, of object: Int) throws(MerlinProblem) {
        if let place = objects[object].firstIndex(where: { $0.name == field }) {
            if !isInitialising { objects[object][place].value = value }
            return
        }
        try use(memory: 32)
        objects[object].append((field, value))
    }

    private mutating func range(_ count: Int) throws(MerlinProblem) {
        var numbers: [Double] = []
        for case .number(let number) in stack.suffix(count) { numbers.append(number) }
        stack.removeLast(count)
        let (start, end) = (numbers[0], numbers[1])
        var width = count == 3 ? numbers[2] : 1
        if width <= 0 { throw wrong("the step of a range must be greater than 0") }
        let goesDown = end < start
        if goesDown { width = -width }
        var (elements, next) = ([MerlinCell](), start)
        repeat {
            next = start + width * Double(elements.count)
            try use(steps: 1, memory: 16)
            elements.append(.number(next))
        } while goesDown ? next > end : next < end
        stack.append(.list(Int32(lists.count)))
        lists.append(elements)
    }
}
