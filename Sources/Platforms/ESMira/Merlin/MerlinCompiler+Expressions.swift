// SPDX-License-Identifier: Apache-2.0

/// Values, operators and calls; a stronger operator binds before a weaker one.
extension MerlinCompiler {
    /// Operators of at least this strength; the left one of equals binds first.
    @discardableResult
    mutating func expression(_ strength: Int = 1) throws(MerlinProblem) -> Shape {
        try reader.enter()
        defer { reader.leave() }
        var shape = try range()
        while let sign = reader.token.sign, let (own, operation) = sign.operation, own >= strength {
            let place = reader.token.place
            reader.advance()
            shape = .other
            if operation == .or || operation == .and {
                let skip = emit(operation, at: place)
                try expression(own + 1)
                emit(operation == .or ? .combineOr : .combineAnd, at: place)
                code.land(skip)
            } else {
                try expression(own + 1)
                emit(operation, at: place)
            }
        }
        return shape
    }

    private mutating func range() throws(MerlinProblem) -> Shape {
        let shape = try unary()
        let place = reader.token.place
        guard reader.consume(.colon) else { return shape }
        emit(.rangeBound, operand: 0, at: place)
        try unary()
        emit(.rangeBound, operand: 1, at: place)
        if reader.consume(.colon) {
            try unary()
            emit(.rangeBound, operand: 2, at: place)
            emit(.range, count: 3, at: place)
        } else {
            emit(.range, count: 2, at: place)
        }
        return .other
    }

    @discardableResult
    private mutating func unary() throws(MerlinProblem) -> Shape {
        let place = reader.token.place
        guard let operation: MerlinOperation = reader.consume(.not) ? .not : reader.consume(.minus) ? .minus : nil
        else {
            return try chain()
        }
        try reader.enter()
        defer { reader.leave() }
        try unary()
        emit(operation, at: place)
        return .other
    }

    /// `a >> f(b)` is `f(a, b)`: the value is reckoned after the function was looked for, before
    /// its other arguments.
    private mutating func chain() throws(MerlinProblem) -> Shape {
        let start = code.next
        var shape = try suffixed()
        while reader.consume(.chain) {
            let next = code.next
            let place = reader.token.place
            guard case .call(let isOwn) = try suffixed() else {
                throw MerlinProblem(.parsing, place, "after '>>' there must be a call of a function")
            }
            if isOwn { code.move(next, to: start) }
            guard code.addArgument() else { throw tooManyArguments }
            shape = .other
        }
        return shape
    }

    /// A value with calls, fields and elements behind it.
    private mutating func suffixed() throws(MerlinProblem) -> Shape {
        var shape = try value()
        while true {
            let place = reader.token.place
            if reader.consume(.leftParenthesis) {
                guard case .variable(let name) = shape else {
                    throw MerlinProblem(.parsing, place, "only a name can be called as a function")
                }
                shape = try call(name)
            } else if reader.consume(.dot) {
                let place = reader.token.place
                emit(
                    .field, operand: code.intern(try reader.name("after '.' there must be the name of a field")),
                    at: place)
                shape = .field
            } else if reader.consume(.leftBracket) {
                emit(.checkList, at: place)
                try expression()
                try reader.expect(.rightBracket, "after the index")
                emit(.element, at: place)
                shape = .element
            } else {
                return shape
            }
        }
    }

    private mutating func call(_ name: String) throws(MerlinProblem) -> Shape {
        let native = MerlinNative.named[name]
        let callee = code.removeLast().place
        if native == nil { emit(.checkFunction, operand: Int(code.reference(name + "(")), at: callee) }
        var count = 0
        if !reader.check(.rightParenthesis) {
            repeat {
                try expression()
                count += 1
            } while reader.consume(.comma)
        }
        let place = reader.token.place
        try reader.expect(.rightParenthesis, "after the arguments")
        guard count <= UInt8.max else { throw tooManyArguments }
        if let native {
            emit(.native, operand: Int(native.rawValue), count: UInt8(count), at: place)
        } else {
            emit(.call, operand: Int(code.reference(name + "(")), count: UInt8(count), at: place)
        }
        return .call(isOwn: native == nil)
    }

    private var tooManyArguments: MerlinProblem {
        reader.problem("a function cannot have more than 255 arguments")
    }

    private mutating func value() throws(MerlinProblem) -> Shape {
        let place = reader.token.place
        switch reader.token.kind {
        case .number(let number): constant(.number(number))
        case .text(let text): constant(code.text(text))
        case .sign(.true): constant(.number(1))
        case .sign(.false): constant(.number(0))
        case .sign(.none): constant(.none)
        case .sign(.object):
            reader.advance()
            emit(.object)
        case .name(let name):
            reader.advance()
            emit(.load, operand: Int(code.reference(name)), at: place)
            return .variable(name)
        case .sign(.leftParenthesis):
            reader.advance()
            try expression()
            try reader.expect(.rightParenthesis, "after the expression")
        case .sign(.leftBracket):
            reader.advance()
            try list()
        default: throw MerlinProblem(.parsing, place, "expected a value, found \(reader.token.words)")
        }
        return .other
    }

    private mutating func constant(_ value: MerlinCell) {
        reader.advance()
        emit(.constant, operand: code.constant(value))
    }

    private mutating func list() throws(MerlinProblem) {
        var count = 0
        if !reader.check(.rightBracket) {
            repeat {
                try expression()
                count += 1
            } while reader.consume(.comma)
        }
        try reader.expect(.rightBracket, "after the list")
        emit(.list, operand: count)
    }
}
