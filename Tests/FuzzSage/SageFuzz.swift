// SPDX-License-Identifier: Apache-2.0
import Glibc
import Study

/// Damaged studies of SageResearch for their reader, the navigator and the wire. A trap ends the
/// program; the last line says where it was.
@main struct SageFuzz {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        // Trials by number: how many from the first, or FROM-TO for a part of them.
        let bounds = (arguments.first ?? "").split(separator: "-").compactMap { Int($0) }
        guard let last = bounds.last, last > 0, bounds.count < 3, arguments.count > 1 else {
            print("usage: SageFuzz EXECUTIONS|FROM-TO FILE...")
            exit(2)
        }
        let numbers = min(last, bounds.count == 2 ? bounds[0] : 0)..<last
        let trial = SageTrial(
            arguments.dropFirst().map { ($0.split(separator: "/").last.map(String.init) ?? $0, read($0)) })
        var sent = 0
        for number in numbers {
            if number % 100_000 == 0 { note("at execution \(number)\n") }
            if trial.run(number) == .sent { sent += 1 }
        }
        print("executions: \(numbers.count), of which read and sent: \(sent); crashes: 0")
    }

    private static func read(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "rb") else {
            note("cannot read \(path)\n")
            exit(2)
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
    }

    private static func note(_ text: String) { write(2, text, text.utf8.count) }
}
