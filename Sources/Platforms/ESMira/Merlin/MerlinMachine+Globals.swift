// SPDX-License-Identifier: Apache-2.0

/// What outlives the run: values into the machine and out of it.
extension MerlinMachine {
    mutating func imported(_ value: MerlinValue, _ depth: Int) throws(MerlinProblem) -> MerlinCell {
        guard depth < MerlinLimits.values else { throw tooDeep }
        switch value {
        case .none: return .none
        case .number(let number): return .number(number)
        case .text(let text):
            try use(memory: text.utf8.count)
            return try self.text(of: text)
        case .list(let values):
            var elements: [MerlinCell] = []
            for value in values { elements.append(try imported(value, depth + 1)) }
            return try list(elements)
        case .object(let fields):
            var own: [(name: Int32, value: MerlinCell)] = []
            for field in fields {
                try use(memory: 32)
                let name = names.firstIndex(of: field.name) ?? names.count
                if name == names.count { names.append(field.name) }
                own.append((Int32(name), try imported(field.value, depth + 1)))
            }
            objects.append(own)
            return .object(Int32(objects.count - 1))
        }
    }

    mutating func exported(_ value: MerlinCell, _ depth: Int) throws(MerlinProblem) -> MerlinValue {
        guard depth < MerlinLimits.values else { throw tooDeep }
        try use(steps: 1, memory: 16)
        switch value {
        case .absent, .none, .function: return .none
        case .number(let number): return .number(number)
        case .text(let text):
            try use(memory: texts[Int(text)].utf8.count)
            return .text(texts[Int(text)])
        case .list(let list):
            var elements: [MerlinValue] = []
            for element in lists[Int(list)] { elements.append(try exported(element, depth + 1)) }
            return .list(elements)
        case .object(let object):
            var fields: [MerlinField] = []
            for field in objects[Int(object)] {
                fields.append(MerlinField(names[Int(field.name)], try exported(field.value, depth + 1)))
            }
            return .object(fields)
        }
    }
}
