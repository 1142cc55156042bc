// SPDX-License-Identifier: Apache-2.0

/// Reads, for `DamagedFile`, the part of a row that does not fit on its own page (§1.6 of
/// https://sqlite.org/fileformat2.html): a chain of overflow pages, each with the number of the next (0 in the
/// last) and then content.
struct OverflowChain {
    let file: DamagedFile
    /// Number of the first page.
    let first: UInt32
    /// Bytes of content in the whole chain.
    let length: Int

    /// What the chain may hold: once by the images that are certain, then by the first variant of each doubtful page,
    /// by the second, and so on. A chain that breaks off gives nothing.
    func contents() -> [[UInt8]] {
        var found = [content(of: file.newest)].compactMap(\.self)
        var (choice, mostVariants) = (0, 0)
        repeat {
            let next = content { page in
                let variants = file.doubtful(page)
                mostVariants = max(mostVariants, variants.count)
                return variants.isEmpty ? file.newest(page) : variants[min(choice, variants.count - 1)]
            }
            if let next, next != found.first { found.append(next) }
            choice += 1
        } while choice < mostVariants
        return found
    }

    /// The content, from pages as `image` has them; nil where the chain breaks off, or comes back to a page.
    private func content(of image: (UInt32) -> [UInt8]?) -> [UInt8]? {
        var found: [UInt8] = []
        var next = first
        var seen: Set<UInt32> = []
        while found.count < length {
            guard next != 0, seen.insert(next).inserted, let page = image(next), page.count == file.pageSize,
                let following = page.bigEndian32(0)
            else { return nil }
            found += page[4..<min(file.pageSize, 4 + length - found.count)]
            next = following
        }
        return found
    }
}
