// SPDX-License-Identifier: Apache-2.0

extension String {
    /// As a shell takes it for one word.
    package var shellWord: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_./:,=+@%".utf8.contains($0) }
        // By scalars: with a combining one after it a quote is another character.
        let escaped = unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined()
        return isPlain ? self : "'" + escaped + "'"
    }
}
