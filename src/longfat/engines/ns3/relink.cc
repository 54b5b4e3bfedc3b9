// SPDX-License-Identifier: GPL-2.0-only
//
// Direct calls between ns-3's libraries, none to its logging, and known answers to questions that are
// asked for every packet, for ns-3 3.44 from PyPI.
//
// The wheel is not built as ns-3's "optimized" profile would build it. A segment and its ACK make
// a thousand calls through procedure linkage tables, and two thousand that only ask whether a log
// component is enabled: nearly half of the time of a simulation without losses. This file does in
// memory what a static linker does in a file: when the accelerator is loaded, each call by way of
// the table becomes a call of the function itself, and each question to the logging becomes its
// answer, no. While NS_LOG is set, the questions stay.
//
// Two more kinds of questions get their answer at once. The wheel has ns-3's assertions, which an
// optimized build leaves out: that the inner state of a packet's buffer is in order, asked at each
// of its changes, is answered with yes. And whether checksums are calculated, which looks a global
// value up by name for every header, with no; unless NS_GLOBAL_VALUE is set, which can ask for them.
//
// And where ns-3 reaches a function that the accelerator replaces by its place and not by its name (in
// a table of virtual functions, or in the same source file), there is a jump to the replacement.
//
// accelerate.py lists the calls with objdump when it compiles this file; what is found here at one
// of those places must be such a call, or it is left alone.

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace
{

constexpr uint8_t CALL = 0xe8;                                      // call, distance of 32 bits
constexpr uint8_t JUMP = 0xe9;                                      // the same at a function's end
constexpr uint8_t JUMP_BY_WAY_OF[] = {0xff, 0x25};                  // jmp *slot(%rip)
constexpr uint8_t ANSWER_NO[] = {0x31, 0xc0, 0x0f, 0x1f, 0x00};     // xor %eax,%eax; nop
constexpr char LOG_QUESTION[] = "_ZNK3ns312LogComponent9IsEnabledENS_8LogLevelE";
constexpr uintptr_t LENGTH = 5;                                     // of CALL and JUMP, in bytes

/// A function that only says what is known: the code that says it, in place of the function's own.
struct Known
{
    const char* symbol;
    const uint8_t* answer;
    std::size_t bytes;
    const char* unlessSet; //!< an environment variable
};

constexpr uint8_t YES[] = {0xb8, 0x01, 0x00, 0x00, 0x00, 0xc3}; // mov $1,%eax; ret
constexpr uint8_t NO[] = {0x31, 0xc0, 0xc3};                    // xor %eax,%eax; ret
constexpr Known KNOWN[] = {
    {"_ZNK3ns36Buffer18CheckInternalStateEv", YES, sizeof(YES), nullptr},
    {"_ZNK3ns36Buffer8Iterator5CheckEj", YES, sizeof(YES), nullptr},
    {"_ZNK3ns36Buffer8Iterator11CheckNoZeroEjj", YES, sizeof(YES), nullptr},
    {"_ZNK3ns314PacketMetadata9IsStateOkEv", YES, sizeof(YES), nullptr},
    {"_ZN3ns34Node15ChecksumEnabledEv", NO, sizeof(NO), "NS_GLOBAL_VALUE"},
};

/// The address that an instruction refers to, by a distance of 32 bits that ends where it ends.
uintptr_t
AddressAt(uintptr_t distance)
{
    int32_t value;
    std::memcpy(&value, reinterpret_cast<void*>(distance), sizeof(value));
    return distance + sizeof(value) + value;
}

/// What the dynamic section of a loaded library tells.
struct Dynamic
{
    explicit Dynamic(const ElfW(Dyn)* entry)
    {
        for (; entry && entry->d_tag != DT_NULL; ++entry)
        {
            const auto pointer = entry->d_un.d_ptr;
            switch (entry->d_tag)
            {
            case DT_JMPREL:
                relocations = reinterpret_cast<const ElfW(Rela)*>(pointer);
                break;
            case DT_PLTRELSZ:
                relocationCount = pointer / sizeof(ElfW(Rela));
                break;
            case DT_SYMTAB:
                symbols = reinterpret_cast<const ElfW(Sym)*>(pointer);
                break;
            case DT_STRTAB:
                names = reinterpret_cast<const char*>(pointer);
                break;
            case DT_HASH:
                symbolCount = reinterpret_cast<const uint32_t*>(pointer)[1];
                break;
            }
        }
    }

    const ElfW(Rela)* relocations{nullptr}; //!< of the linkage table
    std::size_t relocationCount{0};
    const ElfW(Sym)* symbols{nullptr};
    std::size_t symbolCount{0};             //!< where there is a hash table of the older kind
    const char* names{nullptr};
};

/// A library that has been loaded and bound.
struct Library
{
    explicit Library(const dl_phdr_info& info)
        : base(info.dlpi_addr)
    {
        const ElfW(Dyn)* dynamic = nullptr;
        for (int i = 0; i < info.dlpi_phnum; ++i)
        {
            const auto& segment = info.dlpi_phdr[i];
            if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X))
            {
                text = base + segment.p_vaddr;
                textEnd = text + segment.p_memsz;
            }
            if (segment.p_type == PT_DYNAMIC)
            {
                dynamic = reinterpret_cast<const ElfW(Dyn)*>(base + segment.p_vaddr);
            }
        }
        const Dynamic in(dynamic);
        for (std::size_t i = 0; i < in.relocationCount; ++i)
        {
            const ElfW(Rela)& relocation = in.relocations[i];
            const char* name = in.names + in.symbols[ELF64_R_SYM(relocation.r_info)].st_name;
            slots[base + relocation.r_offset] = std::strcmp(name, LOG_QUESTION) == 0;
        }
    }

    uintptr_t base;
    uintptr_t text{0};
    uintptr_t textEnd{0};
    std::unordered_map<uintptr_t, bool> slots; //!< of the linkage table; whether it asks for logging
};

/// Make one call direct.
void
Relink(const Library& library, uintptr_t place, bool keepLogging)
{
    const bool inside = place >= library.text && place + LENGTH <= library.textEnd;
    auto* code = reinterpret_cast<uint8_t*>(place);
    if (!inside || (*code != CALL && *code != JUMP))
    {
        return;
    }
    const uintptr_t stub = AddressAt(place + 1);
    if (stub < library.text || stub + 6 > library.textEnd ||
        std::memcmp(reinterpret_cast<void*>(stub), JUMP_BY_WAY_OF, sizeof(JUMP_BY_WAY_OF)) != 0)
    {
        return;
    }
    const auto slot = library.slots.find(AddressAt(stub + sizeof(JUMP_BY_WAY_OF)));
    if (slot == library.slots.end())
    {
        return;
    }
    if (slot->second && *code == CALL && !keepLogging)
    {
        std::memcpy(code, ANSWER_NO, sizeof(ANSWER_NO));
        return;
    }
    const uintptr_t target = *reinterpret_cast<const uintptr_t*>(slot->first);
    const bool bound = target != stub + 6; // else the table would look the function up first
    const auto distance = static_cast<intptr_t>(target - (place + LENGTH));
    const auto shortDistance = static_cast<int32_t>(distance);
    if (bound && distance == shortDistance)
    {
        std::memcpy(code + 1, &shortDistance, sizeof(shortDistance));
    }
}

/// Make the calls of a library direct, if accelerate.py has listed them.
int
RelinkLibrary(dl_phdr_info* info, std::size_t, void* directory)
{
    const std::string path = info->dlpi_name;
    const std::string name = path.substr(path.rfind('/') + 1);
    std::ifstream file(*static_cast<std::string*>(directory) + "/" + name + ".calls",
                       std::ios::binary);
    const std::string list{std::istreambuf_iterator<char>(file), {}};
    if (name.empty() || list.empty())
    {
        return 0;
    }
    std::vector<uint32_t> offsets(list.size() / sizeof(uint32_t));
    std::memcpy(offsets.data(), list.data(), offsets.size() * sizeof(uint32_t));

    const Library library(*info);
    const uintptr_t page = sysconf(_SC_PAGESIZE);
    void* begin = reinterpret_cast<void*>(library.text / page * page);
    const std::size_t size = library.textEnd - library.text / page * page;
    if (mprotect(begin, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    {
        return 0; // a hardened kernel: as before, only slower
    }
    const bool keepLogging = std::getenv("NS_LOG") != nullptr;
    for (uint32_t offset : offsets)
    {
        Relink(library, library.base + offset, keepLogging);
    }
    mprotect(begin, size, PROT_READ | PROT_EXEC);
    return 0;
}

/// Put machine code in the place of other code.
void
Write(void* place, const uint8_t* code, std::size_t bytes)
{
    const uintptr_t page = sysconf(_SC_PAGESIZE);
    const auto begin = reinterpret_cast<uintptr_t>(place) / page * page;
    const std::size_t size = reinterpret_cast<uintptr_t>(place) + bytes - begin;
    if (mprotect(reinterpret_cast<void*>(begin), size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
    {
        std::memcpy(place, code, bytes);
        mprotect(reinterpret_cast<void*>(begin), size, PROT_READ | PROT_EXEC);
    }
}

/// Let a function say what is known.
void
Answer(const Known& known)
{
    void* code = dlsym(RTLD_DEFAULT, known.symbol);
    if (code && !(known.unlessSet && std::getenv(known.unlessSet)))
    {
        Write(code, known.answer, known.bytes);
    }
}

/// Where ns-3 has a function that this library has too, jump to this library's.
void
JumpToReplacements(uintptr_t base)
{
    const Dynamic own(_DYNAMIC);
    for (const ElfW(Sym)* symbol = own.symbols; symbol != own.symbols + own.symbolCount; ++symbol)
    {
        const std::string_view name = own.names + symbol->st_name;
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
            ELF64_ST_BIND(symbol->st_info) != STB_GLOBAL ||
            !(name.starts_with("_ZN3ns3") || name.starts_with("_ZNK3ns3")))
        {
            continue;
        }
        const uintptr_t replacement = base + symbol->st_value;
        void* replaced = dlsym(RTLD_NEXT, name.data());
        const auto distance =
            static_cast<intptr_t>(replacement - reinterpret_cast<uintptr_t>(replaced) - LENGTH);
        const auto shortDistance = static_cast<int32_t>(distance);
        if (replaced && distance == shortDistance)
        {
            uint8_t jump[LENGTH] = {JUMP};
            std::memcpy(jump + 1, &shortDistance, sizeof(shortDistance));
            Write(replaced, jump, LENGTH);
        }
    }
}

/// When the accelerator is loaded: ns-3's libraries, which it needs, are loaded by then.
__attribute__((constructor)) void
RelinkAll()
{
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&RelinkAll), &self) != 0)
    {
        const std::string path = self.dli_fname;
        std::string directory = path.substr(0, path.rfind('/'));
        dl_iterate_phdr(RelinkLibrary, &directory);
        JumpToReplacements(reinterpret_cast<uintptr_t>(self.dli_fbase));
    }
    for (const Known& known : KNOWN)
    {
        Answer(known);
    }
}

} // namespace
