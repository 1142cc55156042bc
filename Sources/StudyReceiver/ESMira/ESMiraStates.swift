// SPDX-License-Identifier: Apache-2.0

/// What becomes of the entries of one request, by their numbers, as the server lists it.
struct ESMiraStates {
    private var output: [(key: Int, value: JSONValue)] = []
    /// By the number of an entry.
    private var places: [Int: Int] = [:]

    mutating func accept(_ id: Int) {
        guard places[id] == nil else { return }
        places[id] = output.count
        append(.members(["dataSetId": .int(id), "success": .boolean(true)]))
    }

    /// A number that was answered before is answered at the place that is its number, by a slip of the server's.
    mutating func refuse(_ id: Int, _ message: String) {
        let state = JSONValue.members([
            "dataSetId": .int(id), "success": .boolean(false), "error": .string(message),
        ])
        guard places[id] != nil else {
            places[id] = output.count
            return append(state)
        }
        if let place = output.firstIndex(where: { $0.key == id }) {
            output[place].value = state
        } else {
            output.append((id, state))
        }
    }

    private mutating func append(_ state: JSONValue) {
        output.append(((output.map(\.key).max() ?? -1) + 1, state))
    }

    /// A list as long as its places are 0, 1, 2 …, else an object.
    var json: JSONValue {
        output.map(\.key) == Array(output.indices)
            ? .array(output.map(\.value))
            : .object(output.map { .init(name: String($0.key), value: $0.value) })
    }
}
