"""Make data/routers-ns2*.csv: what ns-2's own XCP, Snoop and Quick-Start do.

python tools/routers_ns2.py     needs the program `ns`
"""

from longfat.studies import assistance_ns2, routers

if __name__ == "__main__":
    routers.make_ns2()
    assistance_ns2.make()
