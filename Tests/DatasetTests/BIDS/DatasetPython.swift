// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Programs that others wrote, which judge or draw a dataset.
enum DatasetProgram {
    /// `STUDYD_DATASET_PYTHON`, or `STUDYD_PYTHON`, names a Python with the packages.
    static var python: String {
        let names: [String] = ["STUDYD_DATASET_PYTHON", "STUDYD_PYTHON"]
        return names.compactMap { getenv($0) }.first.map { String(cString: $0) } ?? "python3"
    }

    /// Standard output; nil when the program fails. What it says of errors is shown then.
    static func run(_ words: [String]) -> String? {
        let quoted = words.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
        guard let pipe = popen("\(quoted) 2>&1", "r") else { return nil }
        var text: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        let output = String(decoding: text, as: UTF8.self)
        guard pclose(pipe) == 0 else {
            print(output)
            return nil
        }
        return output
    }

    static func python(_ script: String, _ arguments: [String] = []) -> String? {
        run([python, "-c", script] + arguments)
    }

    static func has(_ modules: String) -> Bool {
        if run(["sh", "-c", "exec '\(python)' -c 'import \(modules)' 2>/dev/null"]) != nil { return true }
        print("SKIPPED: \(modules) are not installed; STUDYD_DATASET_PYTHON may name a Python that has them")
        return false
    }

    static let hasR: Bool = {
        if run(["sh", "-c", "command -v Rscript"]) != nil { return true }
        print("SKIPPED: R is not installed (apt: r-base-core)")
        return false
    }()
}
